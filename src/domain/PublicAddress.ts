/** What a template of public addresses has in the place of the organisation's slug. */
export const slugPlaceholder = "{slug}"

/**
 * The address of a page for donors or invitees on an organisation's subdomain. `template` is the address of such a
 * subdomain, with `{slug}` for the organisation; `path` begins with a slash. decisions, section 8.
 */
export const publicUrl = (template: string, slug: string, path: string): string =>
  `${template.replaceAll(slugPlaceholder, slug).replace(/\/+$/, "")}${path}`
