import type { Child } from "hono/jsx"
import { spacedAbn } from "../../../domain/kernel/Abn.ts"
import { directionOf } from "../../../domain/kernel/Language.ts"
import type * as Checkout from "../../../domain/sharing/Checkout.ts"
import type { Texts } from "../texts/English.ts"
import { Notice } from "./Components.tsx"
import { script, totalScript } from "./Script.ts"
import { stripeScript, stripeSource } from "./StripeScript.ts"
import { accentStyle, style } from "./Style.ts"

/** What stands around every page. */
export interface DocumentProps {
  readonly texts: Texts
  readonly title: string
  /** The organisation, whose name stands over the page; null where none is known. */
  readonly from: Checkout.Page["organisation"] | null
  /** Whether something on the page has to be put right. */
  readonly hasFault?: boolean
  /** Whether Stripe has a part of the page. */
  readonly hasStripe?: boolean
  /** Whether the page adds up what is typed. */
  readonly hasTotal?: boolean
  readonly children?: Child
}

/** A page as text. Whatever of it was written by somebody is escaped. */
export const render = (page: Child): string => `<!doctype html>\n${String(page)}`

/** A page with its title, its one main part and the way to it. */
export const Document = ({
  children,
  from,
  hasFault = false,
  hasStripe = false,
  hasTotal = false,
  texts,
  title
}: DocumentProps) => (
  <html lang={texts.lang} dir={directionOf(texts.lang)}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>
        {hasFault ? `${texts.error} ` : ""}
        {title}
        {from === null ? "" : ` – ${from.name}`}
      </title>
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <style dangerouslySetInnerHTML={{ __html: style }} />
      {from?.accent_color == null ? null : (
        <style dangerouslySetInnerHTML={{ __html: accentStyle(from.accent_color) }} />
      )}
    </head>
    <body>
      <a class="skip" href="#main">
        {texts.skip}
      </a>
      {from === null ? null : (
        <header class="from">
          {from.logo === null ? null : <img class="logo" src={`../logo/${from.logo}`} alt="" />}
          <bdi>{from.name}</bdi>
        </header>
      )}
      <main id="main">
        {from?.is_sandbox === true ? (
          <Notice>
            <p>{texts.sandbox}</p>
          </Notice>
        ) : null}
        {children}
      </main>
      {from?.abn == null ? null : <footer class="fine">{texts.abn(spacedAbn(from.abn))}</footer>}
      <script dangerouslySetInnerHTML={{ __html: script }} />
      {hasTotal ? <script dangerouslySetInnerHTML={{ __html: totalScript }} /> : null}
      {hasStripe ? <script src={stripeSource} async={true} data-stripe-source="" /> : null}
      {hasStripe ? <script dangerouslySetInnerHTML={{ __html: stripeScript }} /> : null}
    </body>
  </html>
)
