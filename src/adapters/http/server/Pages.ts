import { createHash } from "node:crypto"
import { bytesOf } from "../pipeline/Answers.ts"
import { type Html, html } from "../reference/Html.ts"
import { colours } from "../reference/Style.ts"
import type { PageSubject } from "./HostedPages.ts"

/** A page of a few sentences for a person who followed a link. */
export interface Page {
  readonly contentType: string
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

export const htmlType = "text/html; charset=utf-8"

const style = `${colours}
*{box-sizing:border-box}
body{margin:0;background:var(--background);color:var(--text);font:1.125rem/1.6 system-ui,sans-serif}
main{max-width:38rem;margin:0 auto;padding:12vh 1.25rem 3rem}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 1rem;overflow-wrap:anywhere}
p{margin:0 0 1rem}`

/** The hash of a text, as a page's policy names it. */
export const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

/** The headers of a page: nothing may be loaded from elsewhere, run, sent or framed; the style sheet is named by its hash. */
const headers = {
  "content-security-policy": [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; "),
  // The address may hold a token.
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex"
}

const paragraph = (text: string): Html => html`<p>${text}</p>`

/** A page. It does not repeat its address, which somebody else may have written. */
const pageOf = (title: string, ...sentences: ReadonlyArray<string>): Page => {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${{ html: style }}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${sentences.map(paragraph)}
</main>
</body>
</html>
`
  return { contentType: htmlType, body: bytesOf(page.html), headers }
}

/** The pages that stand in for those of donors and invitees. */
export const unavailable: Readonly<Record<PageSubject, Page>> = {
  gift: pageOf(
    "This page is not available here yet",
    "You followed a link to give, and this service does not show pages for donors yet. No gift was made and no money was taken.",
    "The organisation that gave you the link can tell you how to give in the meantime."
  ),
  invitation: pageOf(
    "This page is not available here yet",
    "You followed an invitation, and this service does not show its page yet. The invitation was neither accepted nor declined.",
    "The organisation that invited you can tell you how to go on in the meantime."
  ),
  organisation: pageOf(
    "This page is not available here yet",
    "An organisation's pages for donors will be here. This service does not show them yet.",
    "The organisation can tell you how to give in the meantime."
  )
}

/** The page for browsers at an address where there is nothing. */
export const nothingHere: Page = pageOf(
  "There is nothing at this address",
  "Check the address for a mistake, or go back to where you found it."
)
