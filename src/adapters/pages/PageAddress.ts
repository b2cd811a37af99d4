import { hasOwnHosts, slugPlaceholder, withoutSlash } from "../../domain/kernel/PublicAddress.ts"

/** The kinds of pages, by the first segment of their paths. decisions, section 8; pages, section 2. */
export const pageKinds = ["f", "g", "c", "embed", "p", "i", "logo"] as const

/** The kind of a page: a form, a recommendation set, a checkout link, a form in a frame, a payment's progress, an invitation, or a logo on pages. */
export type PageKind = (typeof pageKinds)[number]

/** Where a page is: whose it is, and which one. */
export interface PageAddress {
  readonly slug: string
  /** The part of the path before the organisation's own paths; empty where each organisation has a host of its own. */
  readonly base: string
  /** The organisation's own page where the kind is null. */
  readonly kind: PageKind | null
  /** A form's slug, a link's code, a set's url_key or a token. */
  readonly name: string
}

const slugCharacters = 63

const isSlug = (text: string): boolean => /^[a-z0-9-]+$/.test(text)

const withoutPort = (host: string): string => host.replace(/:\d*$/, "")

/** An address without scheme and port, which a proxy may have changed. */
const placeOf = (address: string): string => {
  const [host = "", ...path] = address.replace(/^https?:\/\//, "").split("/")
  return [withoutPort(host).toLowerCase(), ...path].join("/")
}

/** The organisation's slug, and the rest of an address after its part; undefined where it is not of that form. */
const afterOrganisation = (
  template: string,
  place: string
): { readonly slug: string; readonly rest: string } | undefined => {
  const from = template.indexOf(slugPlaceholder)
  if (!place.startsWith(template.slice(0, from))) return undefined
  for (let length = 1; length <= slugCharacters; length++) {
    const slug = place.slice(from, from + length)
    if (slug.length < length || !isSlug(slug)) return undefined
    const own = template.replaceAll(slugPlaceholder, slug)
    if (place.startsWith(`${own}/`)) return { slug, rest: place.slice(own.length + 1) }
  }
  return undefined
}

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return ""
  }
}

/** Whether a host is one of the pages' own: of an organisation, or of all where they share one. */
export const pageHosts = (publicUrlTemplate: string): ((host: string | undefined) => boolean) => {
  const [own = ""] = placeOf(withoutSlash(publicUrlTemplate)).split("/", 1)
  return (host) => {
    const place = withoutPort(host ?? "").toLowerCase()
    return own.includes(slugPlaceholder) ? afterOrganisation(own, `${place}/`) !== undefined : place === own
  }
}

/**
 * Finds by host and path which page an address made from the template has; undefined for every other address. It asks no
 * store, so that it does not reveal whether the organisation or the page exists.
 */
export const pageAddresses = (
  publicUrlTemplate: string
): ((host: string | undefined, path: string) => PageAddress | undefined) => {
  const template = placeOf(withoutSlash(publicUrlTemplate))
  const ownsHost = hasOwnHosts(template)
  return (host, path) => {
    if (host === undefined) return undefined
    const found = afterOrganisation(template, `${withoutPort(host).toLowerCase()}${path}`)
    if (found === undefined) return undefined
    const { rest, slug } = found
    const base = path.slice(0, path.length - rest.length - 1)
    if (rest === "") return ownsHost ? { slug, base, kind: null, name: "" } : undefined
    const [first = "", name = "", ...deeper] = rest.split("/")
    const kind = pageKinds.find((each) => each === first)
    // A slash at the end is a slip; whatever is beneath a page is none.
    if (kind === undefined || name === "" || deeper.join("/") !== "") return undefined
    return { slug, base, kind, name: decoded(name) }
  }
}
