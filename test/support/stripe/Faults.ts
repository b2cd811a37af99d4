import type { ServerResponse } from "node:http"

/** How one of the next answers is spoilt. */
export type Fault =
  /** It is not spoilt: another one is to be. */
  | { readonly kind: "none" }
  | { readonly kind: "status"; readonly status: number; readonly type?: string; readonly code?: string }
  /** The request is lost before anything happens, or the answer after it did. */
  | { readonly kind: "lostRequest" | "lostAnswer" }
  | { readonly kind: "body"; readonly body: string }
  | { readonly kind: "truncated" }

let answers = 0

export const write = (response: ServerResponse, status: number, body: string) => {
  answers += 1
  response.writeHead(status, { "content-type": "application/json", "request-id": `req_${answers}` })
  response.end(body)
}

/** Writes the answer `body` as the fault spoils it. */
export const spoil = (fault: Exclude<Fault, { readonly kind: "none" }>, response: ServerResponse, body: string) => {
  switch (fault.kind) {
    case "status": {
      const code = fault.code === undefined ? {} : { code: fault.code }
      const error = { type: fault.type ?? "api_error", ...code, message: "Ada Lovelace" }
      return write(response, fault.status, JSON.stringify({ error }))
    }
    case "body":
      return write(response, 200, fault.body)
    case "truncated":
      response.writeHead(200, { "content-type": "application/json", "content-length": String(body.length) })
      response.write(body.slice(0, 20))
      return response.destroy()
    case "lostRequest":
    case "lostAnswer":
      return response.destroy()
  }
}
