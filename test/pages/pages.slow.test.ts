import { describePages } from "./PageSuite.ts"

describePages({
  javaScriptEnabled: true,
  looks: ["a phone without scripts", "a desk in the dark", "forced colours", "Arabic", "a language of longer words"],
  isWhole: true
})
