import type { Dispatcher } from "undici"

/** The handler of an exchange, whatever the version of undici. */
export interface ExchangeHandler {
  onRequestStart(): void
  onResponseStart(status: number, headers: Readonly<Record<string, string | Array<string> | undefined>>): void
  onResponseData(chunk: Buffer): void
  onResponseEnd(): void
  onResponseError(error: Error): void
}

/** Headers as undici 6 has them: names and values in turns. The first of a name counts. */
const headersOf = (raw: ReadonlyArray<Buffer>): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = {}
  for (let index = 0; index + 1 < raw.length; index += 2) {
    headers[String(raw[index]?.toString("latin1")).toLowerCase()] ??= String(raw[index + 1]?.toString("latin1"))
  }
  return headers
}

/** A handler that undici 7 and 8 call by their names, and undici 6 by its own. */
export class AnyUndici implements Dispatcher.DispatchHandler {
  private readonly told: ExchangeHandler

  constructor(told: ExchangeHandler) {
    this.told = told
  }

  onRequestStart(): void {
    this.told.onRequestStart()
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | Array<string> | undefined>>
  ): void {
    this.told.onResponseStart(status, headers)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.told.onResponseData(chunk)
  }

  onResponseEnd(): void {
    this.told.onResponseEnd()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.told.onResponseError(error)
  }

  onConnect(): void {
    this.told.onRequestStart()
  }

  onHeaders(status: number, headers: ReadonlyArray<Buffer>): boolean {
    this.told.onResponseStart(status, headersOf(headers))
    return true
  }

  onData(chunk: Buffer): boolean {
    this.told.onResponseData(chunk)
    return true
  }

  onComplete(): void {
    this.told.onResponseEnd()
  }

  onError(error: Error): void {
    this.told.onResponseError(error)
  }
}
