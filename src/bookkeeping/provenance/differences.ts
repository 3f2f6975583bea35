import type { StoredFigure } from "../../rates/series/store.ts";
import type { SourcedRate } from "../../rates/served/rules/update-policy.ts";
import type {
  MisnamedRate,
  Observation,
  ServedPair,
  StoredDocument,
  StoredPublication,
} from "./observations.ts";
import type { Unstored } from "./unstored.ts";

/** Something in the store that does not agree with its source. */
export type Difference =
  /** An observation whose document states another figure for its time, or none. */
  | {
      readonly kind: "figure";
      readonly observation: Observation;
      readonly stated: SourcedRate | undefined;
    }
  /** A figure of a series whose document states another one for its time, or none. */
  | {
      readonly kind: "series";
      readonly figure: StoredFigure;
      readonly stated: SourcedRate | undefined;
    }
  /** A figure of a series whose publication or document cannot be right. */
  | { readonly kind: "origin"; readonly figure: StoredFigure; readonly reason: string }
  /** A document that is missing, damaged or cannot be parsed. */
  | {
      readonly kind: "document";
      readonly publication: StoredPublication;
      /** Undefined if the publication has none. */
      readonly document: StoredDocument | undefined;
      readonly reason: string;
    }
  /** A served rate that is not its pair's last observation. */
  | ({ readonly kind: "served" } & ServedPair)
  /** An observation whose number, time, publication or pair cannot be right. */
  | { readonly kind: "observation"; readonly observation: Observation; readonly reason: string }
  /** Stored headers of a served rate that name another source. */
  | ({ readonly kind: "headers" } & MisnamedRate);

/** What became of the stored figures: each is in one of these. */
export interface FigureCounts {
  /** Figures that their documents state. */
  figures: number;
  /** Figures from imported files, which are not stored. */
  imported: number;
  /** Figures that differ, or whose document is missing, damaged or cannot be parsed. */
  unverified: number;
}

/** What was verified: observations, and the figures of the series apart. */
export interface VerifiedCounts extends FigureCounts {
  /** By source: what documents state and the store lacks, which is no difference. */
  readonly unstored: Map<string, Unstored>;
  readonly series: FigureCounts;
  documents: number;
  differences: number;
}
