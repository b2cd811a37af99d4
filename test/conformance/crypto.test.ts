import * as Tokens from "../../src/adapters/crypto/Tokens.ts"
import * as Conformance from "../../src/testing/Conformance.ts"
import { macs, secretBox } from "./Adapters.ts"

Conformance.tokens("tokens", { layer: Tokens.layer, runs: 100 })
Conformance.secretBox("the secret box", { ...secretBox, runs: 100 })
Conformance.macs("message authentication codes", { ...macs, runs: 100 })
