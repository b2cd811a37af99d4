import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { root } from "./bundles.mjs"

const PATH = join(root, ".cache/mutation.json")

/** Names a mutant as long as its file is the same. */
const keyOf = ({ end, file, replacement, start }) => `${file} ${start} ${end} ${replacement}`

const read = () => {
  try {
    return JSON.parse(readFileSync(PATH, "utf8"))
  } catch {
    return {}
  }
}

/**
 * Which test noticed a mutant in an earlier run. It is believed as long as all that the test's file is made of is the same,
 * the mutant's own file among it; a mutant that nobody noticed is asked about again.
 */
export class MutantCache {
  #noticed = read()
  #hashes

  /** `measured`: the test files, each with the hash of what it is made of. */
  constructor(measured) {
    this.#hashes = new Map(measured.map(({ file, hash }) => [file, hash]))
  }

  /** The test that noticed the mutant, or undefined. */
  find(mutant) {
    const { by, file, hash } = this.#noticed[keyOf(mutant)] ?? {}
    return file !== undefined && this.#hashes.get(file) === hash ? by : undefined
  }

  add(mutant, by) {
    const file = by.split(": ", 1)[0]
    const hash = this.#hashes.get(file)
    if (hash !== undefined) this.#noticed[keyOf(mutant)] = { by, file, hash }
  }

  write() {
    mkdirSync(dirname(PATH), { recursive: true })
    // Another run may have written meanwhile.
    writeFileSync(PATH, JSON.stringify({ ...read(), ...this.#noticed }))
  }
}
