package io.kvorum.node.netty;

/**
 * What a transport has done since it was made.
 *
 * @param sent messages handed to the operating system
 * @param dropped messages given up: the peer was not reached, its queue was full, or its connection
 *     ended before they left
 * @param unsendable messages given up because this transport can never carry them: of a kind that
 *     is not on the wire, too large for a frame, or for a node whose address is unknown
 * @param received messages delivered
 * @param refused connections that ended at the hello: refused by this node or by the peer, silent
 *     for too long, or one too many
 * @param badBytes connections closed because what came in was not the protocol
 * @param reconnects attempts to connect after the first one, of all peers
 * @param connections connections that are open, in both directions, with or without a hello
 */
public record TransportStats(
    long sent,
    long dropped,
    long unsendable,
    long received,
    long refused,
    long badBytes,
    long reconnects,
    int connections) {}
