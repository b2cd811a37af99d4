import { createSocket } from "node:dgram"
import { createServer, type Socket } from "node:net"
import { Effect } from "effect"

/** The server's answer for a name. A and AAAA are told apart by their spelling. */
export interface Zone {
  readonly addresses: ReadonlyArray<string>
  /** Seconds; 60 when absent. */
  readonly ttl?: number
  /** How long the answer waits, milliseconds. */
  readonly delayMillis?: number
  /** Answers by UDP that the rest is to be had by TCP. */
  readonly truncated?: boolean
  /** Leaves questions for this family without an answer. */
  readonly silentFamily?: 4 | 6
}

/** A name's answers, or how it has none. */
export type DnsAnswer = Zone | "unknown" | "failing" | "silent"

/** A name server on loopback that ends with its scope. */
export interface DnsServer {
  /** `address:port`, as a resolver takes it. */
  readonly address: string
  /** The questions so far, repeats included: `A name` and `AAAA name`, and over which transport. */
  readonly questions: ReadonlyArray<string>
  /** Sets the answer for a name from now on; every other name is unknown. */
  readonly say: (name: string, said: DnsAnswer) => void
}

const types: Readonly<Record<number, "A" | "AAAA">> = { 1: "A", 28: "AAAA" }

interface Question {
  readonly id: number
  readonly name: string
  readonly type: number
  /** The question's own bytes, which an answer repeats. */
  readonly bytes: Buffer
}

const questionOf = (message: Buffer): Question => {
  const labels: Array<string> = []
  let at = 12
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  return {
    id: message.readUInt16BE(0),
    name: labels.join(".").toLowerCase(),
    type: message.readUInt16BE(at + 1),
    bytes: message.subarray(12, at + 5)
  }
}

const bytesOf = (address: string): Buffer => {
  if (!address.includes(":")) return Buffer.from(address.split(".").map(Number))
  const [head = "", tail] = address.split("::")
  const groups = (text: string | undefined) => (text === undefined || text === "" ? [] : text.split(":"))
  const [left, right] = [groups(head), groups(tail)]
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0")
  return Buffer.from([...left, ...zeros, ...right].map((group) => group.padStart(4, "0")).join(""), "hex")
}

const recordOf = (type: number, ttl: number, address: string): Buffer => {
  const data = bytesOf(address)
  const head = Buffer.alloc(12)
  // The name is the question's, which stands at offset 12.
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(ttl, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

const answerOf = (question: Question, code: number, records: ReadonlyArray<Buffer>, truncated: boolean): Buffer => {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(question.id, 0)
  head.writeUInt16BE(0x8180 | (truncated ? 0x0200 : 0) | code, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(records.length, 6)
  return Buffer.concat([head, question.bytes, ...records])
}

const zoneAnswer = (question: Question, zone: Zone, transport: "udp" | "tcp"): Buffer => {
  if (zone.truncated === true && transport === "udp") return answerOf(question, 0, [], true)
  const family = types[question.type]
  const addresses = zone.addresses.filter((address) => (address.includes(":") ? "AAAA" : "A") === family)
  const records = addresses.map((address) => recordOf(question.type, zone.ttl ?? 60, address))
  return answerOf(question, 0, records, false)
}

const framed = (message: Buffer): Buffer => {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}

const make = () => {
  const names = new Map<string, DnsAnswer>()
  const questions: Array<string> = []
  const timers = new Set<NodeJS.Timeout>()

  const answer = (message: Buffer, transport: "udp" | "tcp", send: (answer: Buffer) => void) => {
    const question = questionOf(message)
    const type = types[question.type] ?? "other"
    questions.push(`${type} ${question.name} ${transport}`)
    const said = names.get(question.name) ?? "unknown"
    if (said === "silent") return
    if (said === "unknown") return send(answerOf(question, 3, [], false))
    if (said === "failing") return send(answerOf(question, 2, [], false))
    if (said.silentFamily === (type === "A" ? 4 : 6)) return
    const timer = setTimeout(() => {
      timers.delete(timer)
      send(zoneAnswer(question, said, transport))
    }, said.delayMillis ?? 0)
    timers.add(timer)
  }

  const udp = createSocket("udp4")
  udp.on("message", (message, { address, port }) => {
    answer(message, "udp", (reply) => udp.send(reply, port, address))
  })

  const sockets = new Set<Socket>()
  const tcp = createServer((socket) => {
    sockets.add(socket.on("error", () => socket.destroy()))
    let received = Buffer.alloc(0)
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk])
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0)
        answer(received.subarray(2, end), "tcp", (reply) => socket.write(framed(reply)))
        received = received.subarray(end)
      }
    })
  })

  const close = () => {
    for (const timer of timers) clearTimeout(timer)
    for (const socket of sockets) socket.destroy()
    udp.close()
    tcp.close()
  }

  const listen = () =>
    new Promise<DnsServer>((resolve, reject) => {
      tcp.once("error", reject)
      // Both transports have the same port; the one that TCP got is free for UDP, too.
      tcp.listen(0, "127.0.0.1", () => {
        const bound = tcp.address()
        const port = typeof bound === "object" && bound !== null ? bound.port : 0
        udp.once("error", reject)
        udp.bind(port, "127.0.0.1", () =>
          resolve({
            address: `127.0.0.1:${port}`,
            questions,
            say: (name, said) => {
              names.set(name, said)
            }
          })
        )
      })
    })

  return { listen, close }
}

/** Starts a name server. */
export const dnsServer = Effect.map(
  Effect.acquireRelease(
    Effect.promise(async () => {
      const { close, listen } = make()
      return { close, server: await listen() }
    }),
    ({ close }) => Effect.sync(close)
  ),
  ({ server }) => server
)
