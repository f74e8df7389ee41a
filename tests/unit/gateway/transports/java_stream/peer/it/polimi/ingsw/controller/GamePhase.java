package it.polimi.ingsw.controller;

public enum GamePhase {
    PLANNING_PHASE, ACTION_PHASE_ONE, ACTION_PHASE_TWO, ACTION_PHASE_THREE
}
