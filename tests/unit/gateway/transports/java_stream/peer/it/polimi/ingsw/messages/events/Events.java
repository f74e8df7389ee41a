package it.polimi.ingsw.messages.events;

import it.polimi.ingsw.model.AssistantCard;
import it.polimi.ingsw.model.Color;
import java.io.Serializable;

/** Test doubles of the original program's events. */
record PlayAssistantCardEvent(AssistantCard ac, int playerNumber) implements Serializable {}

record MoveStudentFromEntranceToIslandEvent(Color color, int indexIsland, int playerNumber) implements Serializable {}

record MoveStudentFromEntranceToTableEvent(Color color, int playerNumber) implements Serializable {}

record MoveMotherNatureEvent(int amount, int playerNumber) implements Serializable {}

record ChooseCloudEvent(int cloudIndex, int playerNumber) implements Serializable {}

record ActivateCharacterCardEvent(int cardId, int playerNumber) implements Serializable {}

record MoveStudentFromCardToIslandEvent(Color studentFromCard, int islandIndex, int playerNumber)
        implements Serializable {}

record MoveStudentFromCardToTableEvent(Color color, int playerNumber) implements Serializable {}

record ChooseColorEvent(Color color, int playerNumber) implements Serializable {}

record ChooseIslandEvent(int islandIndex, int playerNumber) implements Serializable {}

record SwapStudentCardEntranceEvent(Color studentFromCard, Color studentFromEntrance, int playerNumber)
        implements Serializable {}

record SwapStudentEntranceTableEvent(Color studentFromEntrance, Color studentFromTable, int playerNumber)
        implements Serializable {}

record EndSelection(int playerNumber) implements Serializable {}
