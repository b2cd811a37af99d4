import { connect as connectTcp, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { type buildConnector, Client } from "undici"
import { canonicalAddress, type ParsedTarget } from "../../domain/outbox/WebhookAddress.ts"

const openSocket = (target: ParsedTarget, address: string): Socket => {
  const options = { host: address, port: target.port }
  if (!target.secure) return connectTcp(options)
  // Without a server name the certificate is checked against the address, as it must be for an IP literal.
  return connectTls({
    ...options,
    ALPNProtocols: ["http/1.1"],
    ...(canonicalAddress(target.hostname) === undefined ? { servername: target.hostname } : {})
  })
}

const headBytes = "HTTP/1.1 100".length
const headEnd = Buffer.from("\r\n\r\n")

/**
 * Writes each `100 Continue` before an answer as `102 Processing`, which says as little to who asked for neither: the client
 * takes the first, and no other status below 200, for a broken answer.
 */
class AnswerHead {
  private head = ""
  private ended = 0
  private isAnswered = false

  /** Another answer follows. */
  begin(): void {
    this.head = ""
    this.ended = 0
    this.isAnswered = false
  }

  read(bytes: Buffer): void {
    for (let at = 0; at < bytes.length && !this.isAnswered; at++) this.next(bytes, at)
  }

  private next(bytes: Buffer, at: number): void {
    const byte = bytes[at] ?? 0
    if (this.head.length < headBytes) {
      this.head += String.fromCharCode(byte)
      if (this.head === "HTTP/1.1 100") bytes[at] = 0x32
      else if (this.head.length === headBytes) this.isAnswered = !this.head.startsWith("HTTP/1.1 1")
      return
    }
    this.ended = byte === headEnd[this.ended] ? this.ended + 1 : byte === headEnd[0] ? 1 : 0
    if (this.ended === headEnd.length) this.begin()
  }
}

/** One client with at most one socket, pinned to one judged address. */
export class Connection {
  readonly key: string
  readonly client: Client
  /** Whether it was kept after an exchange: then its socket may be closed at any time. */
  kept = false
  private opened = false
  private readonly answerHead = new AnswerHead()
  private socket: Socket | undefined

  constructor(key: string, target: ParsedTarget, address: string) {
    this.key = key
    this.client = new Client(target.origin, {
      // The exchange's deadline is the only timeout; these would measure something else.
      headersTimeout: 0,
      bodyTimeout: 0,
      // A server that does not say how long it keeps a connection may close it after two seconds, and a request on its
      // way then would cost an attempt. A server that does say so is believed, less two seconds.
      keepAliveTimeout: 1_500,
      keepAliveMaxTimeout: 60_000,
      connect: (_options, callback) => this.open(target, address, callback)
    })
  }

  /** Begins another exchange, which may open one socket. */
  begin(): void {
    this.opened = false
    this.answerHead.begin()
  }

  destroy(): Promise<void> {
    const destroyed = this.client.destroy()
    this.socket?.destroy()
    return destroyed
  }

  private open(target: ParsedTarget, address: string, callback: buildConnector.Callback) {
    // Otherwise the client would open sockets for ever to a receiver that closes each before the request is written.
    if (this.opened) return callback(new Error("closed before the request was sent"), null)
    this.opened = true
    const socket = openSocket(target, address)
    this.socket = socket
    let told = false
    const tell = (...outcome: Parameters<buildConnector.Callback>): void => {
      if (told) return
      told = true
      callback(...outcome)
    }
    socket.setNoDelay(true)
    const read = socket.read.bind(socket)
    socket.read = (size) => {
      const bytes: unknown = read(size)
      if (Buffer.isBuffer(bytes)) this.answerHead.read(bytes)
      return bytes
    }
    socket.on("error", (error) => tell(error, null))
    socket.once(target.secure ? "secureConnect" : "connect", () => {
      if (canonicalAddress(socket.remoteAddress ?? "") === address) return tell(null, socket)
      socket.destroy()
      tell(new Error("connected to another address than the judged one"), null)
    })
  }
}

/** The connections of one transport: those in use, and at most `idleLimit` kept for the next exchange. */
export class Connections {
  closed = false
  private readonly idleLimit: number
  private readonly open = new Set<Connection>()
  /** In the order in which they became idle. */
  private readonly idle = new Set<Connection>()
  private readonly idleByKey = new Map<string, Array<Connection>>()

  constructor(idleLimit: number) {
    this.idleLimit = idleLimit
  }

  /** The address to call first: one with a kept connection, else the first. */
  preferred(target: ParsedTarget, addresses: ReadonlyArray<string>): string | undefined {
    return addresses.find((address) => this.idleByKey.has(keyOf(target, address))) ?? addresses[0]
  }

  /** A kept connection, or a new one. */
  take(target: ParsedTarget, address: string): Connection {
    const kept = this.idleByKey.get(keyOf(target, address))?.at(-1)
    if (kept === undefined) return this.create(target, address)
    this.forget(kept)
    kept.begin()
    return kept
  }

  /** Keeps a connection whose exchange succeeded. */
  release(connection: Connection): void {
    if (this.closed || !this.open.has(connection)) return
    connection.kept = true
    this.idle.add(connection)
    const siblings = this.idleByKey.get(connection.key)
    if (siblings === undefined) this.idleByKey.set(connection.key, [connection])
    else siblings.push(connection)
    const [oldest] = this.idle
    if (oldest !== undefined && this.idle.size > this.idleLimit) this.discard(oldest)
  }

  /** Ends a connection, and the exchange on it. */
  discard(connection: Connection): void {
    this.forget(connection)
    if (this.open.delete(connection)) void connection.destroy()
  }

  /** Ends all connections and the exchanges on them. */
  async close(): Promise<void> {
    this.closed = true
    const open = [...this.open]
    this.open.clear()
    this.idle.clear()
    this.idleByKey.clear()
    await Promise.all(open.map((connection) => connection.destroy()))
  }

  private create(target: ParsedTarget, address: string): Connection {
    const connection = new Connection(keyOf(target, address), target, address)
    this.open.add(connection)
    // A connection in use reports its end to its exchange; of a kept one, nobody else would notice.
    connection.client.on("disconnect", () => {
      if (this.idle.has(connection)) this.discard(connection)
    })
    return connection
  }

  private forget(connection: Connection): void {
    if (!this.idle.delete(connection)) return
    const siblings = this.idleByKey.get(connection.key) ?? []
    siblings.splice(siblings.lastIndexOf(connection), 1)
    if (siblings.length === 0) this.idleByKey.delete(connection.key)
  }
}

const keyOf = (target: ParsedTarget, address: string): string => `${target.origin} ${address}`
