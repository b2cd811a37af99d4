import { Effect } from "effect"
import { Limits } from "../../domain/kernel/Limits.ts"
import type * as Checkout from "../../domain/sharing/Checkout.ts"
import { hashOf, refuseVerb, withoutContent } from "../http/pipeline/Answers.ts"
import type { EdgeResponse } from "../http/pipeline/Handler.ts"
import type { PageRequest } from "../http/pipeline/PageHandler.ts"
import { ancestorsOf } from "./EmbedFrame.ts"
import type { AskedPage } from "./PageAnswer.ts"
import { script, totalScript } from "./views/Script.ts"
import { stripeScript } from "./views/StripeScript.ts"
import { accentStyle, style } from "./views/Style.ts"

/** Hosts of Stripe that its script asks, by its own guide to policies. The page of a payment alone may ask them. */
const stripeHosts = "https://js.stripe.com https://*.js.stripe.com"

/** The hashes of what all pages have, which are made once. */
const hashes = {
  style: hashOf(style),
  script: `${hashOf(script)} ${hashOf(totalScript)}`,
  stripeScript: hashOf(stripeScript)
}

/** Where browsers say what a page's policy has refused. */
export const reportPath = "/_policy"

/**
 * What a page may do: send its own form, and run what it was made with. Styles and scripts are named by their hashes. Where
 * Stripe has a part of the page, its hosts may, and what an operator adds to them. Nobody may frame it but the ancestors.
 */
export const policyOf = (accent: string | null, stripe: ReadonlyArray<string> | null, ancestors = "'none'"): string => {
  const beside = (hosts: string): string => (stripe === null ? "" : ["", hosts, ...stripe].join(" "))
  const ofStripe =
    stripe === null
      ? ["require-trusted-types-for 'script'"]
      : [`frame-src${beside(`${stripeHosts} https://hooks.stripe.com`)}`]
  return [
    "default-src 'none'",
    `style-src ${hashes.style}${accent === null ? "" : ` ${hashOf(accentStyle(accent))}`}`,
    `script-src ${hashes.script}${beside(`${hashes.stripeScript} ${stripeHosts}`)}`,
    `img-src 'self'${beside("https://*.stripe.com")}`,
    `connect-src 'self'${beside("https://api.stripe.com")}`,
    ...ofStripe,
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
    // Every browser knows it; reports by the newer `report-to` come a minute late, or not without https.
    `report-uri ${reportPath}`
  ].join("; ")
}

/** The headers of an organisation's page; `stripe` are the further origins where Stripe has a part of it, else null. */
export const headersFor = (
  asked: Pick<AskedPage, "address" | "exchange">,
  organisation: Pick<Checkout.Page["organisation"], "accent_color" | "embed_origins">,
  stripe: ReadonlyArray<string> | null
): Readonly<Record<string, string>> => ({
  "content-security-policy": policyOf(organisation.accent_color, stripe, ancestorsOf(asked, organisation)),
  // Banks ask their customers in windows of their own.
  ...(stripe === null
    ? {}
    : {
        "cross-origin-opener-policy": "same-origin-allow-popups",
        "permissions-policy": 'payment=(self "https://js.stripe.com"), camera=(), microphone=(), geolocation=()'
      })
})

/** The directives by which is counted: anybody can send a report, and name what they like. */
const directives: ReadonlyArray<string> = [
  ...["base-uri", "connect-src", "default-src", "font-src", "form-action", "frame-ancestors", "frame-src", "img-src"],
  ...["manifest-src", "media-src", "object-src", "require-trusted-types-for", "script-src", "script-src-attr"],
  ...["script-src-elem", "style-src", "style-src-attr", "style-src-elem", "trusted-types", "worker-src"]
]

/** What a report names: a directive, and the origin or the kind of what it refused. Nothing else of it is kept. */
const nameOf = (value: unknown): string => {
  const text = typeof value === "string" ? value : ""
  if (/^[a-z-]{1,40}$/u.test(text)) return text
  return /^https?:/u.test(text) && URL.canParse(text) ? new URL(text).origin.slice(0, 100) : "other"
}

const parsed = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return null
  }
}

/** The violations of a body, in either of the two forms in which browsers tell of them. W3C CSP 3; W3C Reporting. */
const violationsIn = (bytes: Uint8Array): ReadonlyArray<string> => {
  const body = parsed(bytes)
  const reports: ReadonlyArray<unknown> = Array.isArray(body) ? body.slice(0, Limits.policyReports) : [body]
  return reports.flatMap((report) => {
    const { body: ofApi, "csp-report": ofPolicy } = Object(report)
    const { blockedURL, effectiveDirective } = Object(ofApi)
    const {
      "blocked-uri": blocked,
      "effective-directive": effective,
      "violated-directive": violated
    } = Object(ofPolicy)
    const directive = effectiveDirective ?? effective ?? violated
    return directive === undefined ? [] : [`${nameOf(directive)} refused ${nameOf(blockedURL ?? blocked)}`]
  })
}

/**
 * Counts what browsers say that policies refused. Of each kind the first is logged, the second, the fourth and so on: anybody
 * can send reports, and many browsers' extensions cause some.
 */
export const makePolicyReports = () => {
  const counts = new Map<string, number>()
  const ofDirectives = new Map<string, number>()

  const count = (violation: string): Effect.Effect<void> => {
    const name = counts.has(violation) || counts.size < Limits.policyViolationKinds ? violation : "other refused other"
    const times = (counts.get(name) ?? 0) + 1
    counts.set(name, times)
    const [named = ""] = violation.split(" ", 1)
    const directive = directives.includes(named) ? named : "other"
    ofDirectives.set(directive, (ofDirectives.get(directive) ?? 0) + 1)
    return Number.isInteger(Math.log2(times))
      ? Effect.logWarning(`A page's policy was violated, as browsers say (${times} since the start): ${name}`)
      : Effect.void
  }

  /** Answers a report: with nothing, whatever it said. */
  const answer = ({ exchange, openBody, settings }: PageRequest): Effect.Effect<EdgeResponse> => {
    const { request } = exchange
    if (request.method !== "POST") return Effect.succeed(refuseVerb(settings, exchange, ["POST"]))
    const share = openBody()
    return request.readBody({ maximumBytes: Limits.policyReportBytes, hold: share.hold }).pipe(
      Effect.flatMap((body) => Effect.forEach(body._tag === "Body" ? violationsIn(body.bytes) : [], count)),
      Effect.as(withoutContent(settings, exchange, {})),
      Effect.ensuring(Effect.sync(share.release))
    )
  }

  /** How many there were since the start, by the directive that refused. */
  const byDirective = (): Readonly<Record<string, number>> => Object.fromEntries(ofDirectives)

  return { answer, byDirective } as const
}
