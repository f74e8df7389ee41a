package it.polimi.ingsw.messages;

import it.polimi.ingsw.controller.GamePhase;
import it.polimi.ingsw.model.AssistantCard;
import it.polimi.ingsw.model.Color;
import it.polimi.ingsw.server.RoomInfo;
import java.io.Serializable;
import java.util.List;

/** Test doubles: classes with the names, fields and UIDs of the original program's messages. */
class Ack implements Serializable {
    private static final long serialVersionUID = -2393873918786033098L;
}

record Nack(String errorMessage) implements Serializable {}

record RoomId(int id) implements Serializable {}

record PublicRooms(List<RoomInfo> rooms) implements Serializable {}

record AddPlayer(String username, int position) implements Serializable {}

record StartGame(boolean expert) implements Serializable {}

record NotifyCharacterCard(int card) implements Serializable {}

record AddStudentTo(String to, Color color) implements Serializable {}

record MoveStudent(String from, String to, Color color) implements Serializable {}

record MoveTowers(String from, String to, int amount) implements Serializable {}

record MergeIslands(int firstIslandIndex, int secondIslandIndex) implements Serializable {}

record MoveMotherNature(int position) implements Serializable {}

record PlayAssistantCard(AssistantCard assistantCard, int player) implements Serializable {}

record ActivateCharacterCard(int characterCardIndex, int player) implements Serializable {}

record AddCoin(int player) implements Serializable {}

record SetProfessorTo(Color color, int player) implements Serializable {}

record NoEntry(boolean add, int islandIndex) implements Serializable {}

record ChangePhase(GamePhase gamePhase) implements Serializable {}

record ChangeTurn(int playingPlayer) implements Serializable {}

record EndGame(String[] winners) implements Serializable {}

record PlayerDisconnect(String username) implements Serializable {}

record Login(String username) implements Serializable {}

record Logout() implements Serializable {}

record GetPublicRooms(int numberOfPlayers, Boolean expert) implements Serializable {}

record CreateRoom(int numberOfPlayers, boolean expert, boolean isPrivate) implements Serializable {}

record AccessRoom(int id) implements Serializable {}

record LeaveRoom() implements Serializable {}
