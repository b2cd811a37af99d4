import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { type Answer, answerOf, assertLaws } from "./Answer.ts"
import type { Service } from "./Service.ts"

/** One raw answer and what follows it. */
export const parse = (bytes: Buffer): { readonly answer: Answer; readonly rest: Buffer } | undefined => {
  const end = bytes.indexOf("\r\n\r\n")
  if (end === -1) return undefined
  const [line = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n")
  const headers = new Headers(
    lines.map((each): [string, string] => [each.slice(0, each.indexOf(":")), each.slice(each.indexOf(":") + 1).trim()])
  )
  const length = Number(headers.get("content-length") ?? 0)
  if (bytes.byteLength < end + 4 + length) return undefined
  const body = bytes.subarray(end + 4, end + 4 + length)
  return { answer: answerOf(Number(line.split(" ")[1]), headers, body), rest: bytes.subarray(end + 4 + length) }
}

/** Connections to a service that listens, byte by byte. */
export interface Wire {
  /** Opens a connection; a second passes before it. */
  dial(localAddress?: string): Promise<Socket>
  /** Every answer that comes until there are `count`, or the connection ends. */
  answersOn(socket: Socket, count: number): Promise<ReadonlyArray<Answer>>
  /** The first answer to what is written on a connection of its own. */
  exchange(...writes: ReadonlyArray<string | Buffer>): Promise<Answer>
  /** Ends all connections. */
  hangUp(): void
}

/** Whether a connection ends within some seconds; what it is sent meanwhile is dropped. */
export const ends = (socket: Socket, seconds = 10): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), seconds * 1_000)
    const end = () => {
      clearTimeout(timer)
      resolve(true)
    }
    if (socket.destroyed) end()
    else socket.once("close", end).resume()
  })

/** A way to the port of loopback that a service listens on. */
export const makeWire = (service: Service, port: number): Wire => {
  const open: Array<Socket> = []

  const dial: Wire["dial"] = async (localAddress) => {
    const socket = connect({ port, host: "127.0.0.1", ...(localAddress === undefined ? {} : { localAddress }) })
    socket.on("error", () => {})
    open.push(socket)
    await once(socket, "connect")
    service.clock.advance(1_000)
    return socket
  }

  const answersOn: Wire["answersOn"] = async (socket, count) => {
    const answers: Array<Answer> = []
    let bytes = Buffer.alloc(0)
    const take = () => {
      for (let next = parse(bytes); next !== undefined; next = parse(bytes)) {
        answers.push(next.answer)
        bytes = Buffer.from(next.rest)
      }
    }
    await new Promise<void>((resolve) => {
      socket.on("close", () => resolve())
      socket.on("data", (chunk: Buffer) => {
        bytes = Buffer.concat([bytes, chunk])
        take()
        if (answers.length >= count) resolve()
      })
    })
    for (const answer of answers) {
      const sentRequestId = undefined
      const { apiBaseUrl } = service.settings
      assertLaws(answer, { ...service.bucket, now: service.clock.now, apiBaseUrl, sentRequestId })
    }
    return answers
  }

  return {
    dial,
    answersOn,
    exchange: async (...writes) => {
      const socket = await dial()
      const answers = answersOn(socket, 1)
      for (const each of writes) socket.write(each)
      const [answer] = await answers
      if (answer === undefined) throw new Error("The connection ended without an answer.")
      return answer
    },
    hangUp: () => {
      for (const socket of open) socket.destroy()
    }
  }
}
