import { mkdtempSync } from "node:fs"
import { join } from "node:path"
import { inject } from "vitest"

/**
 * A new folder of this run, in which packages and the build are found as in the checkout. Nothing is written to the checkout
 * itself: others read it, and other runs, at the same moment.
 */
export const runFolder = (name: string): string => mkdtempSync(join(inject("runFolder"), `${name}-`))
