import { Plural } from '@lingui/react/macro'

/** A duration in words, rounded more the longer it is. */
export function Duration({ seconds }: { seconds: number }) {
  if (seconds < 60) return <Plural value={Math.max(1, Math.ceil(seconds))} one="# second" other="# seconds" />
  if (seconds < 5400) return <Plural value={Math.round(seconds / 60)} one="# minute" other="# minutes" />
  return <Plural value={Math.round(seconds / 3600)} one="# hour" other="# hours" />
}
