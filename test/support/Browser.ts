import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { WebSocket } from "undici"

/** The program of a Chromium that is installed, undefined where there is none. */
export const chromium: string | undefined = ["chromium", "chromium-browser", "google-chrome"].find((program) => {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})

/** A page in a real browser. */
export interface Page {
  open(url: string): Promise<void>
  /** The value of an expression in the page; a promise is waited for. */
  evaluate(expression: string): Promise<unknown>
  /** Everything that the page complained of: exceptions, refusals of its policy, failed requests. */
  readonly complaints: ReadonlyArray<string>
  /** The addresses of all requests of the page. */
  readonly requests: ReadonlyArray<string>
  close(): Promise<void>
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields => ({ ...Object(value) })

const connected = async (url: string) => {
  const socket = new WebSocket(url)
  await once(socket, "open")
  const waiting = new Map<number, (result: Fields) => void>()
  const listeners: Array<(method: string, parameters: Fields) => void> = []
  let last = 0
  socket.addEventListener("message", ({ data }) => {
    const { error, id, method, params, result } = fieldsOf(JSON.parse(String(data)))
    if (typeof method === "string") for (const listen of listeners) listen(method, fieldsOf(params))
    if (typeof id === "number") waiting.get(id)?.(error === undefined ? fieldsOf(result) : { error })
  })
  const send = (method: string, params: Fields = {}, sessionId?: unknown): Promise<Fields> => {
    const id = ++last
    socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }))
    return new Promise((resolve) => waiting.set(id, resolve))
  }
  return { send, listeners, socket }
}

/** Starts a browser with one empty page. */
export const openBrowser = async (program: string): Promise<Page> => {
  const profile = mkdtempSync(join(tmpdir(), "almoner-browser-"))
  const browser = spawn(
    program,
    ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", `--user-data-dir=${profile}`],
    { stdio: ["ignore", "ignore", "pipe"] }
  )
  let address: string | undefined
  for await (const line of createInterface({ input: browser.stderr })) {
    address = /^DevTools listening on (ws:\S+)/.exec(line)?.[1]
    if (address !== undefined) break
  }
  browser.stderr.resume()
  const { listeners, send, socket } = await connected(address ?? "")
  const { targetId } = await send("Target.createTarget", { url: "about:blank" })
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true })
  const complaints: Array<string> = []
  const requests: Array<string> = []
  let loaded = () => {}
  listeners.push((method, { entry, exceptionDetails, request }) => {
    if (method === "Log.entryAdded") complaints.push(String(fieldsOf(entry)["text"]))
    if (method === "Runtime.exceptionThrown") complaints.push(JSON.stringify(exceptionDetails))
    if (method === "Network.requestWillBeSent") requests.push(String(fieldsOf(request)["url"]))
    if (method === "Page.loadEventFired") loaded()
  })
  const screen = { width: 1_280, height: 900, deviceScaleFactor: 1, mobile: false }
  await send("Emulation.setDeviceMetricsOverride", screen, sessionId)
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await send(`${domain}.enable`, {}, sessionId)
  return {
    complaints,
    requests,
    open: async (url) => {
      const load = new Promise<void>((resolve) => {
        loaded = resolve
      })
      await send("Page.navigate", { url }, sessionId)
      await load
    },
    evaluate: async (expression) => {
      const asked = { expression, awaitPromise: true, returnByValue: true, userGesture: true }
      const { exceptionDetails, result } = await send("Runtime.evaluate", asked, sessionId)
      if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
      return fieldsOf(result)["value"]
    },
    close: async () => {
      const ended = once(browser, "exit")
      await Promise.race([send("Browser.close"), ended])
      socket.close()
      await ended
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}
