"""Each request causes the right messages in the right order, for all players at the table."""

from msgspec.structs import replace

from gateway.dialects.codex import CodexSettings
from shared.games.codex.pieces import Phase
from tests.unit.gateway.dialects.codex.acting import NAMES, Message, Stage, one, types

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
    stage = Stage(3, full=False)
    (confirm,) = stage.clients["Ann"].heard()
    assert confirm == {
        "type": "ConfirmGameMessage",
        "confirmGameCreation": True,
        "details": "",
        "nickname": "Ann",
        "gameId": 1000,
    }


def test_joining_is_announced_to_all_and_the_last_player_starts_the_game() -> None:
    stage = Stage(3)
    heard = stage.heard()
    assert types(heard["Ann"]) == ["ConfirmGame", "JoinedPlayer", "JoinedPlayer", *START]
    assert types(heard["Bob"]) == ["ConfirmJoinGame", "JoinedPlayer", "JoinedPlayer", *START]
    assert types(heard["Cid"]) == ["ConfirmJoinGame", "JoinedPlayer", *START]
    assert [message["player"] for message in heard["Bob"] if message["type"] == "JoinedPlayerMessage"] == ["Bob", "Cid"]
    confirm = heard["Cid"][0]
    assert confirm == {
        "type": "ConfirmJoinGameMessage",
        "confirmJoinGame": True,
        "details": "",
        "nickname": "Cid",
        "gameId": 1000,
    }
    for messages in heard.values():
        assert one(messages, "ChangeState")["state"] == "STARTING"
        assert one(messages, "TurnOrder")["turnOrder"] == stage.order
        assert one(messages, "CurrentPlayer")["currentPlayer"] == stage.order[0]


def test_the_deal_shows_six_places_common_objectives_and_the_own_hand() -> None:
    stage = Stage(4)
    heard = stage.heard()
    commons = one(heard["Ann"], "StartingCommon")["commons"]
    assert [card["id"] is None for card in commons] == [True, True, False, False, False, False]
    assert [card["kind"] for card in commons] == ["RESOURCE", "GOLD", "RESOURCE", "RESOURCE", "GOLD", "GOLD"]
    hands = []
    for name in NAMES:
        assert one(heard[name], "StartingCommon")["commons"] == commons
        hand = one(heard[name], "FirstHand")
        seat = next(seat for seat, place in stage.room.seats.items() if place.name == name)
        own = stage.room.play.own[seat]
        assert [hand[f"playablecard{number}"]["id"] for number in (1, 2, 3)] == list(own.hand)
        assert hand["startingCard"]["id"] == own.starting
        assert [hand["o1"]["id"], hand["o2"]["id"]] == list(own.offered)
        assert hand["playablecard3"]["kind"] == "GOLD"
        hands.append(hand)
    assert len({hand["playablecard1"]["id"] for hand in hands}) == 4


def test_starting_faces_are_chosen_in_turn_and_then_colors() -> None:
    stage = Stage(2)
    first, second = stage.order
    stage.hush()
    stage.act(face="BACK")
    heard = stage.heard()
    assert types(heard[first]) == ["ConfirmStartingCard", "PlayerBoard", "CurrentPlayer"]
    assert types(heard[second]) == ["PlayerBoard", "CurrentPlayer"]
    board = heard[second][0]
    assert board["player"] == first
    assert board["i"] == 40
    assert board["j"] == 40
    assert board["playableCard"]["face"] == "BACK"
    assert board["playableCard"]["kind"] == "STARTING"
    stage.act()
    heard = stage.heard()
    assert types(heard[second]) == ["ConfirmStartingCard", "PlayerBoard", "ChangeState", "CurrentPlayer"]
    assert types(heard[first]) == ["PlayerBoard", "ChangeState", "CurrentPlayer", "AvailableColor"]
    assert heard[first][-1]["colors"] == ["RED", "BLUE", "GREEN", "YELLOW"]
    assert heard[first][-3]["state"] == "COLOR"


def test_colors_are_offered_to_the_next_player_and_sent_to_all_at_the_end() -> None:
    stage = Stage(3)
    stage.play_until("COLOR")
    first, second, third = stage.order
    stage.act(color="GREEN")
    heard = stage.heard()
    assert types(heard[first]) == ["ConfirmPickColor", "CurrentPlayer"]
    assert types(heard[second]) == ["CurrentPlayer", "AvailableColor"]
    assert types(heard[third]) == ["CurrentPlayer"]
    assert heard[second][-1]["colors"] == ["RED", "BLUE", "YELLOW"]
    stage.act(color="RED")
    stage.hush()
    stage.act(color="YELLOW")
    heard = stage.heard()
    assert types(heard[third]) == ["ConfirmPickColor", "FinalColors", "ChangeState", "CurrentPlayer"]
    assert types(heard[first]) == ["FinalColors", "ChangeState", "CurrentPlayer"]
    assert one(heard[first], "FinalColors")["colors"] == {first: "GREEN", second: "RED", third: "YELLOW"}
    assert one(heard[first], "ChangeState")["state"] == "OBJECTIVE"


def test_objectives_are_sent_to_their_choosers_alone() -> None:
    stage = Stage(2)
    stage.play_until("OBJECTIVE")
    first, second = stage.order
    offered = stage.room.play.own[stage.room.play.table.order[0]].offered
    stage.act(choose=2)
    heard = stage.heard()
    assert types(heard[first]) == ["ConfirmChooseObjective", "ChoiceObjective", "CurrentPlayer"]
    assert types(heard[second]) == ["CurrentPlayer"]
    assert heard[first][1]["player"] == first
    assert heard[first][1]["objectiveCard"]["id"] == offered[1]
    stage.act()
    heard = stage.heard()
    assert types(heard[second]) == ["ConfirmChooseObjective", "ChoiceObjective", "ChangeState", "CurrentPlayer"]
    assert types(heard[first]) == ["ChangeState", "CurrentPlayer"]
    assert heard[first][0]["state"] == "PLAYING"
    assert heard[first][1]["currentPlayer"] == first


def test_a_placing_shows_the_card_the_points_and_that_a_card_is_drawn_next() -> None:
    stage = Stage(2)
    stage.play_until("PLAYING")
    first, second = stage.order
    stage.act()
    heard = stage.heard()
    news = ["PlayerBoard", "UpdatePoints", "ChangeState", "CurrentPlayer"]
    assert types(heard[first]) == ["ConfirmPlaceCard", *news]
    assert types(heard[second]) == news
    assert heard[second][1] == {"type": "UpdatePointsMessage", "player": first, "points": 0}
    assert heard[second][2]["state"] == "DRAWING"
    assert heard[second][3]["currentPlayer"] == first


def draw(stage: Stage, message: Message) -> dict[str, list[Message]]:
    stage.play_until("DRAWING")
    drawer = stage.current
    stage.clients[drawer].say({"nickname": drawer, **message})
    return stage.heard()


def test_a_draw_from_a_deck_shows_its_next_back() -> None:
    for kind, index in (("DrawResourceMessage", 0), ("DrawGoldMessage", 1)):
        stage = Stage(2)
        stage.play_until("DRAWING")
        first, second = stage.order
        heard = draw(stage, {"type": kind})
        news = ["NotifyCommonTable", "ChangeState", "CurrentPlayer"]
        assert types(heard[first]) == ["ConfirmDraw", "PersonalCards", *news]
        assert types(heard[second]) == news
        assert heard[second][0]["index"] == index
        assert heard[second][0]["resourceCard"]["id"] is None
        assert len(heard[first][1]["hand"]) == 3
        assert heard[second][1]["state"] == "PLAYING"
        assert heard[second][2]["currentPlayer"] == second


def test_a_draw_of_a_face_up_card_shows_the_new_card_and_then_the_back_of_its_deck() -> None:
    for choice, deck in ((1, 0), (2, 0), (3, 1), (4, 1)):
        stage = Stage(2)
        stage.play_until("DRAWING")
        first, second = stage.order
        wanted = stage.room.play.table.places[choice + 1]
        heard = draw(stage, {"type": "DrawTableMessage", "choice": choice})
        assert types(heard[second]) == ["NotifyCommonTable", "NotifyCommonTable", "ChangeState", "CurrentPlayer"]
        assert [message["index"] for message in heard[second][:2]] == [choice + 1, deck]
        assert heard[second][0]["resourceCard"]["id"] is not None
        assert heard[first][1]["hand"][-1]["id"] == wanted


def test_an_empty_place_is_shown_as_null() -> None:
    stage = Stage(2)
    stage.play_until("DRAWING")
    room = stage.room
    room.play = replace(room.play, decks=replace(room.play.decks, resource=room.play.decks.resource[:1], gold=()))
    heard = draw(stage, {"type": "DrawResourceMessage"})
    assert one(heard[stage.order[1]], "NotifyCommonTable") == {
        "type": "NotifyCommonTableMessage",
        "resourceCard": None,
        "index": 0,
    }


def near_the_end(stage: Stage, points: int = 20) -> None:
    """A game in which the first player has this many points and the last player draws."""
    stage.play_until("DRAWING")
    while stage.current != stage.order[-1] or stage.room.play.table.phase is not Phase.DRAWING:
        stage.act()
    table = stage.room.play.table
    players = {**table.players, table.order[0]: replace(table.players[table.order[0]], points=points)}
    stage.room.play = replace(stage.room.play, table=replace(table, players=players))
    stage.hush()


def test_the_last_round_is_announced_and_played_without_drawing() -> None:
    stage = Stage(2)
    near_the_end(stage)
    first, second = stage.order
    stage.act()
    heard = stage.heard()
    assert types(heard[first])[-3:] == ["LastRound", "ChangeState", "CurrentPlayer"]
    stage.act()
    heard = stage.heard()
    assert types(heard[first]) == ["ConfirmPlaceCard", "PlayerBoard", "UpdatePoints", "CurrentPlayer"]
    assert types(heard[second]) == ["PlayerBoard", "UpdatePoints", "CurrentPlayer"]
    assert heard[second][-1]["currentPlayer"] == second


def test_the_end_shows_all_points_the_state_and_the_winners() -> None:
    stage = Stage(3)
    near_the_end(stage)
    for _ in range(3):
        stage.act()
    stage.hush()
    stage.act()
    heard = stage.heard()
    order = stage.order
    end = ["UpdatePoints", "UpdatePoints", "UpdatePoints", "ChangeState", "Winners"]
    assert types(heard[order[0]]) == ["PlayerBoard", "UpdatePoints", *end]
    assert types(heard[order[2]]) == ["ConfirmPlaceCard", "PlayerBoard", "UpdatePoints", *end]
    assert [message["player"] for message in heard[order[0]][2:5]] == order
    assert heard[order[0]][-2]["state"] == "ENDING"
    winners = heard[order[0]][-1]
    table = stage.room.play.table
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
    finals = {message["player"]: message["points"] for message in heard[order[0]][2:5]}
    assert finals == {rank["nickname"]: rank["points"] for rank in winners["standings"]}


def test_common_messages_reach_all_players_in_the_same_order() -> None:
    stage = Stage(4, settings=CodexSettings(grace_ms=100))
    while stage.room.status == "playing":
        stage.act()
    private = {"ConfirmGame", "ConfirmJoinGame", "JoinedPlayer", "FirstHand", "PersonalCards", "ChoiceObjective"}
    private |= {"AvailableColor", "ConfirmStartingCard", "ConfirmPickColor", "ConfirmChooseObjective"}
    private |= {"ConfirmPlaceCard", "ConfirmDraw"}
    received = [
        [message for message in messages if message["type"].removesuffix("Message") not in private]
        for messages in stage.heard().values()
    ]
    assert received[0] == received[1] == received[2] == received[3]
    assert len(received[0]) > 300
