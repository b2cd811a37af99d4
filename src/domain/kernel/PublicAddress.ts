/** The placeholder of the organisation's slug in a template of public addresses. */
export const slugPlaceholder = "{slug}"

/**
 * An address without the slashes that it ends in.
 * @example PublicAddress.withoutSlash("https://give.example.org//") // => "https://give.example.org"
 */
export const withoutSlash = (address: string): string => {
  let end = address.length
  while (address.endsWith("/", end)) end -= 1
  return address.slice(0, end)
}

/**
 * The address of a page for donors or invitees on an organisation's subdomain. `template` is the address of such a
 * subdomain, with `{slug}` for the organisation; `path` begins with a slash. decisions, section 8.
 * @example PublicAddress.publicUrl("https://{slug}.example.org/", "sea", "/give") // => "https://sea.example.org/give"
 */
export const publicUrl = (template: string, slug: string, path: string): string =>
  `${withoutSlash(template.replaceAll(slugPlaceholder, slug))}${path}`

/**
 * Whether a template gives each organisation a host of its own, so that browsers keep their pages apart.
 * @example
 * PublicAddress.hasOwnHosts("https://{slug}.example.org/give") // => true
 * PublicAddress.hasOwnHosts("https://example.org/{slug}") // => false
 */
export const hasOwnHosts = (template: string): boolean => /^(?:https?:\/\/)?[^/]*\{slug\}/u.test(template)
