package it.polimi.ingsw.server;

import java.io.Serializable;

/** Test double: no accessors, because the test program reads the fields by reflection. */
public class RoomInfo implements Serializable {
    private static final long serialVersionUID = 81033558256090089L;
    int id;
    int numberOfPlayers;
    int currentPlayers;
    boolean expert;
    boolean isPrivate;
}
