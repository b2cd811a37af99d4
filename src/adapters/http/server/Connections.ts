import type { Socket } from "node:net"
import { type ClientAddresses, countedAs } from "../../../domain/access/ClientAddress.ts"

export interface ConnectionCaps {
  /** Over all clients. */
  readonly total: number
  /** Of one client address, or of one /64 of IPv6. Trusted proxies are not limited. */
  readonly perAddress: number
}

/** Connections on which no valid key was shown and nothing is being answered, the longest idle first. */
type IdleStrangers = Set<Socket>

/** The connections of one client address. */
interface Neighbours {
  count: number
  readonly idle: IdleStrangers
}

interface Open {
  readonly address: string
  /** Null for a proxy's connection, which counts toward the total only, and is never ended for another one. */
  readonly neighbours: Neighbours | null
  /** Requests that wait for their answers: with pipelining there may be several. */
  answering: number
  /** Whether it carried a request with a valid key. */
  recognised: boolean
}

/**
 * The connections of a server. Where a cap is reached, an idle stranger's connection ends for the newcomer: one of the
 * same address for that address's cap, any for the total. So a client that opens many and sends nothing loses its own.
 */
export const makeConnections = (caps: ConnectionCaps, { isTrusted }: Pick<ClientAddresses, "isTrusted">) => {
  const open = new Map<Socket, Open>()
  const byAddress = new Map<string, Neighbours>()
  const idle: IdleStrangers = new Set()

  const settle = (socket: Socket, { answering, neighbours, recognised }: Open): void => {
    if (neighbours === null) return
    // A connection that becomes idle again moves to the end.
    if (idle.delete(socket)) neighbours.idle.delete(socket)
    if (answering > 0 || recognised) return
    idle.add(socket)
    neighbours.idle.add(socket)
  }

  const count = (socket: Socket, change: 1 | -1): void => {
    const connection = open.get(socket)
    if (connection === undefined) return
    connection.answering += change
    // A connection that showed a valid key is in no list.
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

  /** Ends the connection that has been idle longest; false where there is none. */
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
    /** Registers a new connection; false when it is over the caps. */
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
    begin: (socket: Socket): void => count(socket, 1),
    /** Its answer is complete, or abandoned. */
    end: (socket: Socket): void => count(socket, -1),
    /** A request with a valid key arrived on the connection. */
    recognise: (socket: Socket): void => {
      const connection = open.get(socket)
      if (connection === undefined || connection.recognised) return
      connection.recognised = true
      settle(socket, connection)
    },
    /** Ends every connection on which no request is being answered, including those that have sent nothing. */
    endIdle: (): void => {
      for (const [socket, { answering }] of open) if (answering === 0) socket.destroy()
    },
    isAnswering: (socket: Socket): boolean => (open.get(socket)?.answering ?? 0) > 0
  } as const
}
