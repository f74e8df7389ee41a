"""Each request causes the right messages in the right order, for all players at the table."""

from msgspec.structs import replace

from tests.unit.gateway.dialects.codex.played_game import NAMES, ROOM, Message, PlayedGame, one, types, whole_game

START = [
    "NotifyNumPlayersReached",
    "ChangeState",
    "StartingCommon",
    "CommonObjective",
    "FirstHand",
    "TurnOrder",
    "CurrentPlayer",
]


def test_creating_is_confirmed_and_nothing_else() -> None:
    game = PlayedGame(3, full=False)
    (confirm,) = game.clients["Ann"].received()
    assert confirm == {
        "type": "ConfirmGameMessage",
        "confirmGameCreation": True,
        "details": "",
        "nickname": "Ann",
        "gameId": 1000,
    }


def test_joining_is_announced_to_all_and_the_last_player_starts_the_game() -> None:
    game = PlayedGame(3)
    received = game.received()
    assert types(received["Ann"]) == ["ConfirmGame", "JoinedPlayer", "JoinedPlayer", *START]
    assert types(received["Bob"]) == ["ConfirmJoinGame", "JoinedPlayer", "JoinedPlayer", *START]
    assert types(received["Cid"]) == ["ConfirmJoinGame", "JoinedPlayer", *START]
    joined = [message for message in received["Bob"] if message["type"] == "JoinedPlayerMessage"]
    assert [message["player"] for message in joined] == ["Bob", "Cid"]
    confirm = received["Cid"][0]
    assert confirm == {
        "type": "ConfirmJoinGameMessage",
        "confirmJoinGame": True,
        "details": "",
        "nickname": "Cid",
        "gameId": 1000,
    }
    for messages in received.values():
        assert one(messages, "ChangeState")["state"] == "STARTING"
        assert one(messages, "TurnOrder")["turnOrder"] == game.order
        assert one(messages, "CurrentPlayer")["currentPlayer"] == game.order[0]


def test_the_deal_shows_six_places_common_objectives_and_the_own_hand() -> None:
    game = PlayedGame(4)
    received = game.received()
    commons = one(received["Ann"], "StartingCommon")["commons"]
    assert [card["id"] is None for card in commons] == [True, True, False, False, False, False]
    assert [card["kind"] for card in commons] == ["RESOURCE", "GOLD", "RESOURCE", "RESOURCE", "GOLD", "GOLD"]
    hands = []
    for name in NAMES:
        assert one(received[name], "StartingCommon")["commons"] == commons
        hand = one(received[name], "FirstHand")
        own = game.state.own[game.seat(name)]
        assert [hand[f"playablecard{number}"]["id"] for number in (1, 2, 3)] == list(own.hand)
        assert hand["startingCard"]["id"] == own.starting
        assert [hand["o1"]["id"], hand["o2"]["id"]] == list(own.offered)
        assert hand["playablecard3"]["kind"] == "GOLD"
        hands.append(hand)
    assert len({hand["playablecard1"]["id"] for hand in hands}) == 4


def test_starting_faces_are_chosen_in_turn_and_then_colors() -> None:
    game = PlayedGame(2)
    first, second = game.order
    game.discard()
    game.act(face="BACK")
    received = game.received()
    assert types(received[first]) == ["ConfirmStartingCard", "PlayerBoard", "CurrentPlayer"]
    assert types(received[second]) == ["PlayerBoard", "CurrentPlayer"]
    board = received[second][0]
    assert board["player"] == first
    assert board["i"] == 40
    assert board["j"] == 40
    assert board["playableCard"]["face"] == "BACK"
    assert board["playableCard"]["kind"] == "STARTING"
    game.act()
    received = game.received()
    assert types(received[second]) == ["ConfirmStartingCard", "PlayerBoard", "ChangeState", "CurrentPlayer"]
    assert types(received[first]) == ["PlayerBoard", "ChangeState", "CurrentPlayer", "AvailableColor"]
    assert received[first][-1]["colors"] == ["RED", "BLUE", "GREEN", "YELLOW"]
    assert received[first][-3]["state"] == "COLOR"


def test_colors_are_offered_to_the_next_player_and_sent_to_all_at_the_end() -> None:
    game = PlayedGame(3)
    game.play_until("COLOR")
    first, second, third = game.order
    game.act(color="GREEN")
    received = game.received()
    assert types(received[first]) == ["ConfirmPickColor", "CurrentPlayer"]
    assert types(received[second]) == ["CurrentPlayer", "AvailableColor"]
    assert types(received[third]) == ["CurrentPlayer"]
    assert received[second][-1]["colors"] == ["RED", "BLUE", "YELLOW"]
    game.act(color="RED")
    game.discard()
    game.act(color="YELLOW")
    received = game.received()
    assert types(received[third]) == ["ConfirmPickColor", "FinalColors", "ChangeState", "CurrentPlayer"]
    assert types(received[first]) == ["FinalColors", "ChangeState", "CurrentPlayer"]
    assert one(received[first], "FinalColors")["colors"] == {first: "GREEN", second: "RED", third: "YELLOW"}
    assert one(received[first], "ChangeState")["state"] == "OBJECTIVE"


def test_objectives_are_sent_to_their_choosers_alone() -> None:
    game = PlayedGame(2)
    game.play_until("OBJECTIVE")
    first, second = game.order
    offered = game.state.own[game.state.table.order[0]].offered
    game.act(choose=2)
    received = game.received()
    assert types(received[first]) == ["ConfirmChooseObjective", "ChoiceObjective", "CurrentPlayer"]
    assert types(received[second]) == ["CurrentPlayer"]
    assert received[first][1]["player"] == first
    assert received[first][1]["objectiveCard"]["id"] == offered[1]
    game.act()
    received = game.received()
    assert types(received[second]) == ["ConfirmChooseObjective", "ChoiceObjective", "ChangeState", "CurrentPlayer"]
    assert types(received[first]) == ["ChangeState", "CurrentPlayer"]
    assert received[first][0]["state"] == "PLAYING"
    assert received[first][1]["currentPlayer"] == first


def test_a_placing_shows_the_card_the_points_and_that_a_card_is_drawn_next() -> None:
    game = PlayedGame(2)
    game.play_until("PLAYING")
    first, second = game.order
    game.act()
    received = game.received()
    subscriber = ["PlayerBoard", "UpdatePoints", "ChangeState", "CurrentPlayer"]
    assert types(received[first]) == ["ConfirmPlaceCard", *subscriber]
    assert types(received[second]) == subscriber
    assert received[second][1] == {"type": "UpdatePointsMessage", "player": first, "points": 0}
    assert received[second][2]["state"] == "DRAWING"
    assert received[second][3]["currentPlayer"] == first


def draw(game: PlayedGame, message: Message) -> dict[str, list[Message]]:
    game.play_until("DRAWING")
    drawer = game.current
    game.clients[drawer].send({"nickname": drawer, **message})
    return game.received()


def test_a_draw_from_a_deck_shows_its_next_back() -> None:
    for kind, index in (("DrawResourceMessage", 0), ("DrawGoldMessage", 1)):
        game = PlayedGame(2)
        game.play_until("DRAWING")
        first, second = game.order
        received = draw(game, {"type": kind})
        subscriber = ["NotifyCommonTable", "ChangeState", "CurrentPlayer"]
        assert types(received[first]) == ["ConfirmDraw", "PersonalCards", *subscriber]
        assert types(received[second]) == subscriber
        assert received[second][0]["index"] == index
        assert received[second][0]["resourceCard"]["id"] is None
        assert len(received[first][1]["hand"]) == 3
        assert received[second][1]["state"] == "PLAYING"
        assert received[second][2]["currentPlayer"] == second


def test_a_draw_of_a_face_up_card_shows_the_new_card_and_then_the_back_of_its_deck() -> None:
    for choice, deck in ((1, 0), (2, 0), (3, 1), (4, 1)):
        game = PlayedGame(2)
        game.play_until("DRAWING")
        first, second = game.order
        wanted = game.state.table.places[choice + 1]
        received = draw(game, {"type": "DrawTableMessage", "choice": choice})
        assert types(received[second]) == ["NotifyCommonTable", "NotifyCommonTable", "ChangeState", "CurrentPlayer"]
        assert [message["index"] for message in received[second][:2]] == [choice + 1, deck]
        assert received[second][0]["resourceCard"]["id"] is not None
        assert received[first][1]["hand"][-1]["id"] == wanted


def test_an_empty_place_is_shown_as_null() -> None:
    game = PlayedGame(2)
    game.play_until("DRAWING")
    state = game.state
    decks = replace(state.decks, resource=state.decks.resource[:1], gold=())
    game.cluster.arrange(ROOM, replace(state, decks=decks))
    received = draw(game, {"type": "DrawResourceMessage"})
    assert one(received[game.order[1]], "NotifyCommonTable") == {
        "type": "NotifyCommonTableMessage",
        "resourceCard": None,
        "index": 0,
    }


def test_the_last_round_is_announced_and_played_without_drawing() -> None:
    game = PlayedGame(2)
    game.near_the_end()
    first, second = game.order
    game.act()
    received = game.received()
    assert types(received[first])[-3:] == ["LastRound", "ChangeState", "CurrentPlayer"]
    game.act()
    received = game.received()
    assert types(received[first]) == ["ConfirmPlaceCard", "PlayerBoard", "UpdatePoints", "CurrentPlayer"]
    assert types(received[second]) == ["PlayerBoard", "UpdatePoints", "CurrentPlayer"]
    assert received[second][-1]["currentPlayer"] == second


def test_the_end_shows_all_points_the_state_and_the_winners() -> None:
    game = PlayedGame(3)
    game.near_the_end()
    for _ in range(3):
        game.act()
    game.discard()
    game.act()
    received = game.received()
    order = game.order
    end = ["UpdatePoints", "UpdatePoints", "UpdatePoints", "ChangeState", "Winners"]
    assert types(received[order[0]]) == ["PlayerBoard", "UpdatePoints", *end]
    assert types(received[order[2]]) == ["ConfirmPlaceCard", "PlayerBoard", "UpdatePoints", *end]
    assert [message["player"] for message in received[order[0]][2:5]] == order
    assert received[order[0]][-2]["state"] == "ENDING"
    winners = received[order[0]][-1]
    table = game.state.table
    assert [rank["nickname"] for rank in winners["winners"]] == [order[0]]
    assert len(winners["standings"]) == 3
    best = winners["standings"][0]
    player = table.players[table.order[0]]
    assert best == {
        "nickname": order[0],
        "points": player.points,
        "objectivePoints": player.objective_points,
        "color": player.color.upper(),
    }
    finals = {message["player"]: message["points"] for message in received[order[0]][2:5]}
    assert finals == {rank["nickname"]: rank["points"] for rank in winners["standings"]}


def test_common_messages_reach_all_players_in_the_same_order() -> None:
    private = {"ConfirmGame", "ConfirmJoinGame", "JoinedPlayer", "FirstHand", "PersonalCards", "ChoiceObjective"}
    private |= {"AvailableColor", "ConfirmStartingCard", "ConfirmPickColor", "ConfirmChooseObjective"}
    private |= {"ConfirmPlaceCard", "ConfirmDraw"}
    common = [
        [message for message in messages if message["type"].removesuffix("Message") not in private]
        for messages in whole_game().values()
    ]
    assert common[0] == common[1] == common[2] == common[3]
    assert len(common[0]) > 300
