import { limitsOf } from "./LimitSection.ts"

/** The facts of the limits of pages. */
export const pageLimits = limitsOf("pages, sections 1 and 2", {
  pageTokenHours: ["A page may be open before what was typed there has to be looked at again", "hours"],
  pageFormBytes: ["A form that a donor's page sends", "bytes"],
  policyReportBytes: ["A browser's report of what a page's policy refused", "bytes"],
  policyReports: ["Violations that are read of it", "violations"],
  policyViolationKinds: ["Kinds of them that a process counts apart", "kinds"],
  logoBytes: ["The logo of an organisation", "bytes"],
  logoPixels: ["A side of a logo", "pixels"],
  embedOrigins: ["Origins whose pages may embed an organisation's forms", "origins"]
})
