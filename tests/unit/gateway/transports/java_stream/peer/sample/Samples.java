package sample;

import java.io.Serializable;
import java.util.List;
import java.util.Map;

/** Classes that use every part of the codec, also those that no message needs. */
class Base implements Serializable {
    private static final long serialVersionUID = 7L;
    int number;
    String label;
}

class Derived extends Base {
    private static final long serialVersionUID = 8L;
    long more;
    Object anything;
}

record Everything(
        byte tiny, short small, int usual, long large, float single, double twice, boolean yes,
        Byte boxedTiny, Short boxedSmall, Integer boxed, Long boxedLarge, Float boxedSingle, Double boxedTwice,
        Boolean boxedYes, Object anything, List<Object> list, Map<Object, Object> map, int[][] grid, String[] names,
        Base base)
        implements Serializable {}
