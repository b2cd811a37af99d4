import { Effect, Layer, Result } from "effect"
import { GivingSettings } from "../../app/giving/GivingSettings.ts"
import { monotonicMillis } from "../../app/kernel/time/Monotonic.ts"
import { Checkouts } from "../../app/sharing/Checkouts.ts"
import { countedAs } from "../../domain/access/ClientAddress.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { makeBuckets } from "../../ports/access/Buckets.ts"
import { PublicUrlTemplate } from "../../ports/kernel/PublicUrlTemplate.ts"
import { answer, refuseVerb } from "../http/pipeline/Answers.ts"
import { type EdgeResponse, headerOf } from "../http/pipeline/Handler.ts"
import { type PageHandler, type PageRequest, Pages } from "../http/pipeline/PageHandler.ts"
import { answerScript, embedPath } from "./EmbedFrame.ts"
import { makeGiftFlow } from "./GiftFlow.ts"
import type { GiftAddress } from "./GiftTarget.ts"
import { mailPreviews } from "./MailPreviews.ts"
import { type PageAddress, pageAddresses, pageHosts, pageKinds } from "./PageAddress.ts"
import { type AskedPage, goTo, isForeign, pageAnswer, pathOf, readForm } from "./PageAnswer.ts"
import { headersFor, makePolicyReports, reportPath } from "./PagePolicy.ts"
import { PageSettings } from "./PageSettings.ts"
import { languageFor } from "./texts/Languages.ts"
import { componentsPage } from "./views/ComponentsPage.tsx"
import { asksStripe, progressPage, stateOf } from "./views/ProgressPage.tsx"
import { statePage } from "./views/StatePage.tsx"

const verbs = ["GET", "HEAD", "POST"]

/** Pages that are only looked at. */
const readVerbs = ["GET", "HEAD"]

const textsOf = ({ exchange }: PageRequest) => languageFor(headerOf(exchange.request, "accept-language"))

const isGift = (address: PageAddress): address is GiftAddress =>
  address.kind === "f" || address.kind === "g" || address.kind === "c" || address.kind === "embed"

/** The page that shows how a payment goes. */
const makeProgressFlow = Effect.fnUntraced(function* ({ resume }: Effect.Success<typeof makeGiftFlow>) {
  const checkouts = yield* Checkouts
  const { stripeSources } = yield* PageSettings

  const ended = (asked: AskedPage): EdgeResponse => {
    const { texts } = asked
    return pageAnswer(asked, 404, statePage({ texts, from: null, title: texts.linkEnded, says: texts.linkEndedSays }))
  }

  /** The payment of a token, at the address of its own organisation alone. */
  const progressAt = ({ name, slug }: PageAddress) =>
    Effect.filterOrFail(checkouts.progress(name), ({ organisation }) => organisation.slug === slug)

  const look = Effect.fnUntraced(function* (asked: AskedPage) {
    const { address, texts } = asked
    const found = yield* Effect.result(progressAt(address))
    if (Result.isFailure(found)) return ended(asked)
    const page = progressPage({ path: pathOf(asked), progress: found.success, texts })
    return pageAnswer(asked, 200, page, {
      "x-state": stateOf(found.success),
      ...headersFor(asked, found.success.organisation, asksStripe(found.success) ? stripeSources : null)
    })
  })

  /** The answer that a donor gives at the bank, which the test processor does not have; or another try. */
  const post = Effect.fnUntraced(function* (asked: AskedPage) {
    const { address, exchange } = asked
    const typed = isForeign(exchange.request) ? undefined : yield* readForm(asked)
    const answer = typed?.get("answer")
    if (answer === "again") return yield* resume(asked)
    if (answer === "approve" || answer === "refuse") {
      const approval = checkouts.approve({ progress_token: address.name, is_approved: answer === "approve" })
      // Whatever is refused waits no more, which the page shows.
      yield* Effect.ignore(Effect.andThen(progressAt(address), approval))
    }
    return goTo(asked, pathOf(asked))
  })

  return { look, post } as const
})

const statuses = { broken: 500, crowded: 429, nothing: 404 } as const

const state = (
  request: PageRequest & Partial<Pick<AskedPage, "address">>,
  named: keyof typeof statuses,
  more: Readonly<Record<string, string>> = {}
): EdgeResponse => {
  const texts = textsOf(request)
  const words = {
    broken: [texts.broken, texts.brokenSays],
    crowded: [texts.crowded, texts.crowdedSays],
    nothing: [texts.notFound, texts.notFoundSays]
  } as const
  const [title, says] = words[named]
  return pageAnswer(request, statuses[named], statePage({ texts, from: null, title, says }), more)
}

/** Whoever came by https is to come by it again, for a year. RFC 6797. */
const byHttpsAlone = (response: EdgeResponse): EdgeResponse => ({
  ...response,
  headers: { ...response.headers, "strict-transport-security": "max-age=31536000" }
})

/** A logo: its name is of its content, so that whoever has it never asks again. */
const logoHeaders = {
  "cache-control": "public, max-age=31536000, immutable",
  "content-security-policy": "default-src 'none'; sandbox",
  "x-robots-tag": "noindex"
}

const makeLogos = Effect.map(
  GivingSettings,
  ({ logo }) =>
    ({ address, exchange, settings }: AskedPage, missing: EdgeResponse): Effect.Effect<EdgeResponse> =>
      Effect.match(logo(address.slug, address.name), {
        onFailure: () => missing,
        onSuccess: ({ content_type: contentType, data }) => {
          const body = exchange.request.method === "HEAD" ? "" : Buffer.from(data, "base64")
          return answer(settings, exchange, { status: 200, contentType, body }, logoHeaders)
        }
      })
)

/** Where Apple asks whether a host may take payments of its wallet. */
const applePayPath = "/.well-known/apple-developer-merchantid-domain-association"

/** The paths of everything that pages answer and ask for, each with what lies beneath it: what a host passes on to them. */
export const pagePaths: ReadonlyArray<string> = [
  ...pageKinds.map((kind) => `/${kind}`),
  embedPath,
  reportPath,
  applePayPath,
  "/favicon.svg"
]

/** The operator's file at the hosts of organisations; undefined for every other request. */
const applePayAt = (template: string, file: Uint8Array | undefined) => {
  const isPages = pageHosts(template)
  return ({ exchange, settings }: PageRequest): EdgeResponse | undefined => {
    const { method, path } = exchange.request
    if (file === undefined || path !== applePayPath || !isPages(headerOf(exchange.request, "host"))) return undefined
    if (!readVerbs.includes(method)) return refuseVerb(settings, exchange, readVerbs)
    const body = method === "HEAD" ? "" : Buffer.from(file)
    return answer(settings, exchange, { status: 200, contentType: "application/octet-stream", body }, {})
  }
}

type Own = ReadonlyMap<string, (request: PageRequest) => Effect.Effect<EdgeResponse>>

/** The addresses that are of no organisation, by their paths. */
const ofAll: Own = new Map([[embedPath, (request) => Effect.succeed(answerScript(request))]])

/** The pages for whoever works on the service, likewise. */
const previews: Own = new Map([
  [
    "/_components",
    (request) =>
      Effect.clockWith((clock) => {
        const now = new Date(clock.currentTimeMillisUnsafe())
        return Effect.succeed(pageAnswer(request, 200, componentsPage({ texts: textsOf(request), now })))
      })
  ],
  ...mailPreviews.map(
    ([path, show]) => [path, (request: PageRequest) => Effect.succeed(show(request, textsOf(request)))] as const
  )
])

/** The most buckets that are kept: beyond them, the least recently used are dropped. */
const bucketsRemembered = 100_000

/** Has forms that are sent draw on a bucket for each client address and kind of page. */
const makePostPace = () => {
  const posts = makeBuckets({ perSecond: Limits.pagePostsPerSecond, burst: Limits.pagePostBurst }, bucketsRemembered)
  return (asked: AskedPage, post: Effect.Effect<EdgeResponse>): Effect.Effect<EdgeResponse> =>
    Effect.flatMap(monotonicMillis, (now) => {
      const { address, exchange } = asked
      const taken = posts.take(`${address.kind} ${countedAs(exchange.request.clientAddress)}`, now)
      return taken.allowed
        ? post
        : Effect.succeed({
            ...state(asked, "crowded", { "retry-after": String(taken.retryAfterSeconds) }),
            close: true
          })
    })
}

const makePages = Effect.gen(function* () {
  const template = yield* PublicUrlTemplate
  const chosen = yield* PageSettings
  const own: Own = chosen.previews ? new Map([...ofAll, ...previews]) : ofAll
  const applePay = applePayAt(template, chosen.applePayFile)
  const addressOf = pageAddresses(template)
  const gifts = yield* makeGiftFlow
  const progress = yield* makeProgressFlow(gifts)
  const logoAt = yield* makeLogos
  const reports = makePolicyReports()
  const paced = makePostPace()

  /** What stands at the addresses of invitations and of organisations. */
  const notYet = (request: PageRequest, kind: PageAddress["kind"]): EdgeResponse => {
    const texts = textsOf(request)
    const says = kind === "i" ? texts.invitationNotYet : texts.organisationNotYet
    return pageAnswer(request, 404, statePage({ texts, from: null, title: texts.notYet, says }))
  }

  const answerAt = (asked: AskedPage): Effect.Effect<EdgeResponse> => {
    const { address, exchange } = asked
    const isPost = exchange.request.method === "POST"
    if (isPost) return paced(asked, isGift(address) ? gifts.post(asked, address) : progress.post(asked))
    return isGift(address) ? gifts.look(asked, address) : progress.look(asked)
  }

  const answerTo = (
    request: PageRequest,
    address: PageAddress | undefined
  ): Effect.Effect<EdgeResponse> | undefined => {
    const { exchange, settings } = request
    if (exchange.request.path === reportPath) return reports.answer(request)
    const ofApple = applePay(request)
    if (ofApple !== undefined) return Effect.succeed(ofApple)
    const ownAnswer = own.get(exchange.request.path)
    if (ownAnswer !== undefined) {
      const isRead = readVerbs.includes(exchange.request.method)
      return isRead ? ownAnswer(request) : Effect.succeed(refuseVerb(settings, exchange, readVerbs))
    }
    if (address === undefined) return undefined
    const isShown = isGift(address) || address.kind === "p"
    const allow = isShown ? verbs : readVerbs
    if (!allow.includes(exchange.request.method)) return Effect.succeed(refuseVerb(settings, exchange, allow))
    const asked = { ...request, address, texts: textsOf(request) }
    if (isShown && exchange.request.path.endsWith("/"))
      return Effect.succeed(goTo(asked, pathOf({ ...asked, path: exchange.request.path.slice(0, -1) })))
    if (address.kind === "logo") return logoAt(asked, state(request, "nothing"))
    return isShown ? answerAt(asked) : Effect.succeed(notYet(request, address.kind))
  }

  const pageAt = ({ exchange: { request } }: PageRequest) => addressOf(headerOf(request, "host"), request.path)

  /** Whatever is answered at the address of a page. */
  const secured = (address: PageAddress | undefined, response: EdgeResponse): EdgeResponse =>
    template.startsWith("https:") && address !== undefined ? byHttpsAlone(response) : response

  const handler: PageHandler = {
    answer: (request) => {
      const address = pageAt(request)
      const answered = answerTo(request, address)
      return answered === undefined ? undefined : Effect.map(answered, (response) => secured(address, response))
    },
    state: (request, named, more) => {
      const address = pageAt(request)
      return secured(address, state(address === undefined ? request : { ...request, address }, named, more))
    },
    policyViolations: reports.byDirective
  }
  return handler
})

/** The pages of donors, at the addresses that {@link PublicUrlTemplate} gives to organisations. pages, sections 1 and 2. */
export const layer = Layer.effect(Pages, makePages)
