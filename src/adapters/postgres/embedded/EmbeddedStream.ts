import { Duplex } from "node:stream"
import type { Engine, Session } from "./EmbeddedEngine.ts"

const cancelRequest = 80877102

/** Whether the message is `Terminate`, which would end the database if it got there. */
const isTerminate = (bytes: Buffer): boolean => bytes.length === 5 && bytes[0] === 0x58

/** Whether the message is a request to cancel. It is ignored: a statement is over before such a request can be read. */
const isCancelRequest = (bytes: Buffer): boolean => bytes.length === 16 && bytes.readUInt32BE(4) === cancelRequest

/**
 * One connection to the database inside the process, in place of a socket. It expects whole protocol messages in each
 * write, as the client sends them. Messages that were written together run together.
 */
export class EmbeddedStream extends Duplex {
  readonly #engine: Engine
  #session: Session | undefined

  constructor(engine: Engine) {
    super()
    this.#engine = engine
  }

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#run([bytes]).then(() => callback(), callback)
  }

  override _writev(writes: ReadonlyArray<{ readonly chunk: Buffer }>, callback: (error?: Error | null) => void): void {
    this.#run(writes.map(({ chunk }) => chunk)).then(() => callback(), callback)
  }

  async #run(writes: ReadonlyArray<Buffer>): Promise<void> {
    const messages = writes.filter((bytes) => !isTerminate(bytes))
    const first = messages[0]
    if (first === undefined) return
    if (this.#session === undefined) {
      if (isCancelRequest(first)) {
        this.push(null)
        return
      }
      this.#session = await this.#engine.connect()
    }
    this.push(await this.#session.execute(messages.length === 1 ? first : Buffer.concat(messages)))
    // With the answer, the client learns that its next statement needs another connection.
    if (this.#session.hasEnded()) this.push(null)
  }
}
