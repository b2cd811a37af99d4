import { assert } from "@effect/vitest"
import type { RequestParts } from "./Service.ts"

/** What answers requests for pages: a service in this process, or one behind a socket. */
export type Send = (
  method: string,
  path: string,
  sent: Pick<RequestParts, "headers"> & { readonly body?: string }
) => Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }>

/** A page as it was answered, and its form, which is sent as a browser without scripts does. */
export interface VisitedPage {
  readonly path: string
  readonly status: number
  readonly headers: Headers
  readonly html: string
  readonly heading: string
  /** What the error summary says; empty where there is none. */
  readonly problems: string
  /** The attributes of a field, by its name. */
  readonly field: (name: string) => Readonly<Record<string, string>>
  /** Sends the form, with these of its fields changed, and follows where the answer leads. */
  readonly submit: (fields: Readonly<Record<string, string>>) => Promise<VisitedPage>
}

const unescaped = (text: string): string =>
  text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&amp;", "&")

const attributesIn = (tag: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Array.from(tag.matchAll(/([a-z-]+)="([^"]*)"/gu), ([, name = "", value = ""]) => [name, unescaped(value)])
  )

const plain = (html: string): string => unescaped(html.replaceAll(/<[^>]*>/gu, " ").replaceAll(/\s+/gu, " ")).trim()

/** Visits the pages of a host, with more headers where they are given. */
export const visitorOf = (send: Send, host: string, more: Readonly<Record<string, string>> = {}) => {
  const pageOf = (path: string, { headers, status, text: html }: Awaited<ReturnType<Send>>): VisitedPage => {
    const form = /<form[\s\S]*?<\/form>/u.exec(html)?.[0] ?? ""
    const inputs = Array.from(form.matchAll(/<input[^>]*>/gu), ([tag]) => attributesIn(tag))
    const sent = inputs.filter(
      ({ checked, type = "" }) => !["radio", "checkbox"].includes(type) || checked !== undefined
    )
    const filled = Object.fromEntries(sent.map(({ name = "", value = "" }) => [name, value]))
    const found = (pattern: RegExp): string => plain(pattern.exec(html)?.[1] ?? "")
    const { action } = attributesIn(/<form[^>]*>/u.exec(form)?.[0] ?? "")
    return {
      path,
      status,
      headers,
      html,
      heading: found(/<h1[^>]*>([\s\S]*?)<\/h1>/u),
      problems: found(/role="alert"[^>]*>([\s\S]*?)<\/div>/u),
      field: (name) => inputs.find((each) => each["name"] === name) ?? assert.fail(`${path} has no field ${name}`),
      submit: (fields) => ask("POST", action ?? assert.fail(`${path} has no form`), { ...filled, ...fields })
    }
  }

  const ask = async (
    method: "GET" | "POST",
    path: string,
    fields?: Readonly<Record<string, string>>
  ): Promise<VisitedPage> => {
    const form = fields === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }
    const body = fields === undefined ? {} : { body: String(new URLSearchParams(fields)) }
    const answer = await send(method, path, { headers: { host, ...more, ...form }, ...body })
    const next = answer.status === 303 ? answer.headers.get("location") : null
    return next === null ? pageOf(path, answer) : ask("GET", next)
  }

  return (path: string): Promise<VisitedPage> => ask("GET", path)
}

/** What a person types on the first screen. */
export const firstScreen = {
  amount: "other",
  amount_other: "50",
  name: "Ada Lovelace",
  email: "ada@example.org",
  step: "who"
}

/** Pays by a card of the test processor. */
export const byCard = (number: string) => ({ method: "card", "payment_token.card": number })
