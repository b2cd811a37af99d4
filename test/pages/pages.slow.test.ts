import { describePages } from "./PageSuite.ts"

describePages({
  javaScriptEnabled: true,
  looks: ["a desk in the dark", "forced colours", "a language of longer words"],
  isWhole: false
})
