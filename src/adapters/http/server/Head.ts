import type { ServerResponse } from "node:http"
import type { EdgeResponse } from "../pipeline/Exchange.ts"

// The status and headers of an answer, as node:http takes them.

/** Whether an answer of this status has no body and no length. */
export const isBodyless = (status: number): boolean => status === 204 || status === 304

/** The names and values of the headers in turn, the form that Node takes fastest. */
export const headersOf = ({ body, headers, status }: EdgeResponse, closing: boolean): Array<string> => {
  const lines: Array<string> = []
  for (const name in headers) lines.push(name, headers[name] ?? "")
  const length = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength
  if (!isBodyless(status)) lines.push("content-length", String(length))
  if (closing) lines.push("connection", "close")
  return lines
}

/** How the head of an answer is written. */
export type WriteHead = (outgoing: ServerResponse, status: number, lines: Array<string>) => void

export const writeHead: WriteHead = (outgoing, status, lines) => outgoing.writeHead(status, lines)

/**
 * The head where a host may have wrapped the answer: middleware and frameworks that do look for headers that were set,
 * and know no list in `writeHead`.
 */
export const setHead: WriteHead = (outgoing, status, lines) => {
  for (let index = 0; index + 1 < lines.length; index += 2) {
    outgoing.setHeader(lines[index] ?? "", lines[index + 1] ?? "")
  }
  outgoing.writeHead(status)
}
