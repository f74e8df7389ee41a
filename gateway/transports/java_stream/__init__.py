"""Codec for the Java object streams that the original Eriantys programs exchange over TCP. It does no IO.

The format is chapter 6 of the Java Object Serialization Specification (protocol version 2). Layers, lowest first:

* `modified_utf8`, `constants`, `types`, `jdk`: strings, numbers of the grammar, tables of classes, classes of the JDK;
* `reader` (`grammar`, `handles`) and `writer`: bytes to values and back;
* `plain`: objects of a class table to JSON-like messages and back;
* `framing`: the two framings that a TCP listener uses, strings (AM24) and objects (Group 3).

Implemented:

* 6.4 stream elements: header, TC_NULL, TC_REFERENCE, TC_CLASSDESC, TC_OBJECT, TC_STRING, TC_LONGSTRING, TC_ARRAY,
  TC_ENUM, TC_RESET between messages, TC_BLOCKDATA, TC_BLOCKDATALONG and TC_ENDBLOCKDATA where a class of the JDK
  writes them;
* 6.2 handles, numbered from 0x7E0000 since the last reset, for the whole connection;
* 4.3, 4.6 class descriptors with their superclasses; serialVersionUIDs are compared, except those of arrays (4.6) and
  records (1.13), where Java does not compare them either;
* 1.12 enum constants, 1.13 records, default serialization of other classes;
* the writeObject data of java.util.ArrayList and java.util.HashMap, and the boxes Boolean, Byte, Short, Integer, Long,
  Float and Double, which become plain Python values.

Refused, with one `ProtocolError` that ends the stream:

* TC_PROXYCLASSDESC, TC_CLASS, TC_EXCEPTION, Externalizable classes (SC_EXTERNALIZABLE, SC_BLOCK_DATA), class
  annotations, primitive data between messages, a reset within a message, fields of type char;
* every class that is not in the reader's table, and every description that differs from the table (fields, types,
  superclass, flags): a stream cannot name code to run, only data that a table expects;
* references to objects that are not complete: messages are trees, so a cycle is never one of ours.
"""
