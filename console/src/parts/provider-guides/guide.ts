/**
 * How a provider is set up, in its own words. The console shows these steps, and `npm run generate` writes them into the
 * guides in docs/, so that both always say the same.
 */
import type { MessageDescriptor } from '@lingui/core'

/** A value to copy to the provider: a member of the connection, or the key of a provisioning connection. */
export type OurValue =
  | 'redirect_uri'
  | 'post_logout_redirect_uri'
  | 'backchannel_logout_uri'
  | 'global_token_revocation_uri'
  | 'sp_entity_id'
  | 'acs_url'
  | 'scim_url'
  | 'key'

/** A field of the provider, under its own name, with the value to copy, one of the provider's options, or words of ours. */
export type Row = {
  field: string
  /** When the field is needed, if not always. */
  note?: MessageDescriptor
} & ({ copies: OurValue } | { option: string } | { words: MessageDescriptor })

/** The text may contain **names of the provider** and `values`. */
export type Step = { says: MessageDescriptor; rows?: readonly Row[] }

export type Guide = {
  /** Undefined: any other provider. */
  product?: string
  /** Where the steps begin. A provider that each company runs itself has no common address. */
  console?: string
  /** The page in docs/ and the heading on it. */
  page: string
  anchor?: string
  steps: readonly Step[]
}

/** A guide for sign-in also says where to find what is pasted here, by the name of our field: the provider's words, or ours. */
export type SignInGuide = Guide & {
  pastes: Readonly<Record<string, string | MessageDescriptor>>
  /** Fields that the provider has no use for, or that need no value. They are not offered. */
  hides?: readonly string[]
  /** What a new connection needs besides, because the provider sends nothing else. */
  creates?: Readonly<Record<string, string>>
}

/** Returns the values that the steps use, in their order, each under the provider's name. */
export function copiedRows({ steps }: Guide): { field: string; copies: OurValue; note?: MessageDescriptor }[] {
  return steps.flatMap(({ rows = [] }) => rows.filter((row) => 'copies' in row))
}
