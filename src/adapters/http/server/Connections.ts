import type { Socket } from "node:net"
import { type ClientAddresses, countedAs } from "../../../domain/access/ClientAddress.ts"

/** How many connections may be open. */
export interface ConnectionCaps {
  /** Over all clients. */
  readonly total: number
  /** Of one client address, or of one /64 of IPv6. Proxies that are trusted have as many as they open. */
  readonly perAddress: number
}

/** Connections on which no valid key was shown and nothing is being answered, the one that is so longest first. */
type IdleStrangers = Set<Socket>

/** The connections of one client address. */
interface Neighbours {
  count: number
  readonly idle: IdleStrangers
}

/** What is known of an open connection. */
interface Open {
  readonly address: string
  /** Null for a proxy's, which is counted in the total only, and never ended for another. */
  readonly neighbours: Neighbours | null
  /** Requests that wait for their answers: with pipelining there may be several. */
  answering: number
  /** Whether it carried a request with a valid key. */
  recognised: boolean
}

/**
 * The connections of a server. Where the caps are reached, an idle stranger's connection ends for the newcomer: of the same
 * address, or of any, whichever cap it is. So who opens many and says nothing loses their own.
 */
export const makeConnections = (caps: ConnectionCaps, { isTrusted }: Pick<ClientAddresses, "isTrusted">) => {
  const open = new Map<Socket, Open>()
  const byAddress = new Map<string, Neighbours>()
  const idle: IdleStrangers = new Set()

  const settle = (socket: Socket, { answering, neighbours, recognised }: Open): void => {
    if (neighbours === null) return
    // Whoever becomes idle again stands at the end.
    if (idle.delete(socket)) neighbours.idle.delete(socket)
    if (answering > 0 || recognised) return
    idle.add(socket)
    neighbours.idle.add(socket)
  }

  const count = (socket: Socket, change: 1 | -1): void => {
    const connection = open.get(socket)
    if (connection === undefined) return
    connection.answering += change
    // One that showed a valid key stands in no list.
    if (!connection.recognised) settle(socket, connection)
  }

  const forget = (socket: Socket): void => {
    const connection = open.get(socket)
    if (connection === undefined) return
    open.delete(socket)
    const { address, neighbours } = connection
    if (neighbours === null) return
    idle.delete(socket)
    neighbours.idle.delete(socket)
    neighbours.count -= 1
    if (neighbours.count === 0) byAddress.delete(address)
  }

  /** Ends the connection that was idle longest; false where none is. */
  const endOne = ([longest]: IdleStrangers): boolean => {
    if (longest === undefined) return false
    forget(longest)
    longest.destroy()
    return true
  }

  const neighboursOf = (address: string): Neighbours => {
    const known = byAddress.get(address) ?? { count: 0, idle: new Set() }
    byAddress.set(address, known)
    return known
  }

  const hasRoom = (address: string | undefined): boolean => {
    const neighbours = address === undefined ? undefined : byAddress.get(address)
    if (neighbours !== undefined && neighbours.count >= caps.perAddress) return endOne(neighbours.idle)
    return open.size < caps.total || endOne(idle)
  }

  return {
    /** Takes a new connection in; false when it is over the caps. */
    admit: (socket: Socket): boolean => {
      const peer = socket.remoteAddress ?? ""
      const isProxy = isTrusted(peer)
      const address = countedAs(peer)
      if (!hasRoom(isProxy ? undefined : address)) return false
      const neighbours = isProxy ? null : neighboursOf(address)
      const connection: Open = { address, neighbours, answering: 0, recognised: false }
      open.set(socket, connection)
      if (neighbours !== null) neighbours.count += 1
      settle(socket, connection)
      socket.once("close", () => forget(socket))
      return true
    },
    /** A request came. */
    begin: (socket: Socket): void => count(socket, 1),
    /** Its answer is complete, or given up. */
    end: (socket: Socket): void => count(socket, -1),
    /** A request with a valid key was on it. */
    recognise: (socket: Socket): void => {
      const connection = open.get(socket)
      if (connection === undefined || connection.recognised) return
      connection.recognised = true
      settle(socket, connection)
    },
    /** Ends every connection on which no request is being answered, those that have not said anything included. */
    endIdle: (): void => {
      for (const [socket, { answering }] of open) if (answering === 0) socket.destroy()
    },
    isAnswering: (socket: Socket): boolean => (open.get(socket)?.answering ?? 0) > 0
  } as const
}
