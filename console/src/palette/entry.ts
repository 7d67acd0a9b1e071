import type { ReactNode } from 'react'
import { matches } from '../lib/matches.ts'

/** What the palette finds: a page, an action, a record. */
export type Entry = {
  id: string
  label: string
  /** Beside the label: an email, or what a page is about. It is searched as well. */
  note?: string | undefined
  extra?: ReactNode
  icon: ReactNode
  run: () => void
}

export type Group = { title: string; entries: Entry[] }

/** Returns the entries whose label or note matches; those whose label does come first. */
export function matching<One extends Pick<Entry, 'label' | 'note'>>(text: string, entries: readonly One[]): One[] {
  const byLabel = entries.filter(({ label }) => matches(text, label))
  const byNote = entries.filter(
    (entry) => !byLabel.includes(entry) && matches(text, `${entry.label} ${entry.note ?? ''}`),
  )
  return [...byLabel, ...byNote]
}
