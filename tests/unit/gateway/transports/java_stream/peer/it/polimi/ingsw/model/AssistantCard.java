package it.polimi.ingsw.model;

public enum AssistantCard {
    ONE, TWO, THREE, FOUR, FIVE, SIX, SEVEN, EIGHT, NINE, TEN
}
