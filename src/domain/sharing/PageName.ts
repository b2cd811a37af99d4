import { Array as Arr, Option } from "effect"
import { exactlyOne } from "../kernel/Fields.ts"

/** What names a page: exactly one of these. */
export const pageKeys = ["slug", "embed_token", "code", "url_key"] as const
type PageKey = (typeof pageKeys)[number]

/** The forms of an input that names a page. */
export const pageForms = exactlyOne(pageKeys)

/** The name of a page, as an input has it. */
export type PageName = { readonly [K in PageKey]: { readonly [Only in K]: string } }[PageKey]

/** Makes the name of a page. */
export const makePageName: { readonly [K in PageKey]: (name: string) => PageName } = {
  slug: (slug) => ({ slug }),
  embed_token: (embed_token) => ({ embed_token }),
  code: (code) => ({ code }),
  url_key: (url_key) => ({ url_key })
}

/**
 * The first name of a page that is given; none where none is.
 * @example PageName.pageNameIn({ slug: null, code: "abc" }) // => Option.some({ code: "abc" })
 */
export const pageNameIn = (names: { readonly [K in PageKey]?: string | null | undefined }): Option.Option<PageName> =>
  Arr.findFirst(pageKeys, (key) => Option.map(Option.fromNullishOr(names[key]), makePageName[key]))
