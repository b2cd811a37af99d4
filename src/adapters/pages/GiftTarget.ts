import { Schema } from "effect"
import * as Checkout from "../../domain/sharing/Checkout.ts"
import { makePageName, pageKeys } from "../../domain/sharing/PageName.ts"
import type { PageAddress } from "./PageAddress.ts"

/** The names of pages in an input, by the kinds of their addresses. */
const keyOf = { f: "slug", g: "url_key", c: "code", embed: "embed_token" } as const

/** A page through which is given. */
export type GiftAddress = PageAddress & { readonly kind: keyof typeof keyOf }

const isOf = { dt: Schema.is(Checkout.Target.fields.dt), campaign: Schema.is(Checkout.Target.fields.campaign) }

/** The parameters of a page's address: the donor's own link, and the campaign that it belongs to. */
export const targetOf = ({ kind, name, slug }: GiftAddress, query: string): Checkout.Target => {
  const parameters = new URLSearchParams(query)
  // One that nothing could be known by is worth nothing, and leads to the plain page.
  const given = (parameter: string, field: "campaign" | "dt"): string | null => {
    const value = parameters.get(parameter)
    return value !== null && isOf[field](value) ? value : null
  }
  return {
    organisation: slug,
    ...makePageName[keyOf[kind]](name),
    dt: given("dt", "dt"),
    campaign: given("cmp", "campaign")
  }
}

/** Whether two targets are of one page, whoever follows which link to it. */
export const isSamePage = (a: Checkout.Target, b: Checkout.Target): boolean =>
  a.organisation === b.organisation && pageKeys.every((key) => (a[key] ?? null) === (b[key] ?? null))
