export {
  births,
  Command,
  listing,
  machine,
  NewRecommendationSet,
  RecommendationSet,
  RecommendationSetDetail,
  RecommendationSetPatch,
  RecommendationSetRecord
} from "../domain/sharing/RecommendationSet.ts"
