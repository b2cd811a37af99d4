import { answer } from "../http/pipeline/Answers.ts"
import type { EdgeResponse } from "../http/pipeline/Handler.ts"
import type { PageRequest } from "../http/pipeline/PageHandler.ts"
import type { AskedPage } from "./PageAnswer.ts"
import { embedScript } from "./views/EmbedScript.ts"

/** Where the script is that puts forms on the pages of other sites. */
export const embedPath = "/embed.js"

/** The form that a page in a frame is of, by its embed_token; null for a page that no site may frame. */
export const embeddedForm = ({ address, exchange }: Pick<AskedPage, "address" | "exchange">): string | null => {
  if (address.kind === "embed") return address.name
  return address.kind === "p" ? new URLSearchParams(exchange.request.query).get("form") : null
}

/**
 * The query of a payment's progress in a frame: the form that another try goes back to, and the origin to which the page reports.
 * Both are what the browser was given: only sites that the organisation lists can frame the page, whatever its address says.
 */
export const progressQuery = (asked: AskedPage): string => {
  const form = embeddedForm(asked)
  if (form === null) return ""
  const origin = new URLSearchParams(asked.exchange.request.query).get("origin")
  return `?${new URLSearchParams({ form, ...(origin === null ? {} : { origin }) })}`
}

/** Who may frame a page: the sites that its organisation lists, where it is made for a frame. */
export const ancestorsOf = (
  asked: Pick<AskedPage, "address" | "exchange">,
  { embed_origins }: { readonly embed_origins: ReadonlyArray<string> }
): string => (embeddedForm(asked) === null || embed_origins.length === 0 ? "'none'" : embed_origins.join(" "))

/** The script for other sites. It is of no organisation, and may be kept for an hour. */
export const answerScript = ({ exchange, settings }: PageRequest): EdgeResponse =>
  answer(
    settings,
    exchange,
    {
      status: 200,
      contentType: "text/javascript; charset=utf-8",
      body: exchange.request.method === "HEAD" ? "" : embedScript
    },
    { "cache-control": "public, max-age=3600", "cross-origin-resource-policy": "cross-origin" }
  )
