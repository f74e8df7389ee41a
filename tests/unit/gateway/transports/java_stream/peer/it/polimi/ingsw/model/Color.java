package it.polimi.ingsw.model;

public enum Color {
    GREEN, RED, YELLOW, PINK, BLUE
}
