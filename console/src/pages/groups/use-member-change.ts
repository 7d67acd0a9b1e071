import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { changedByGroups } from '../../data/groups.ts'
import type { Person } from '../../parts/user-finder/pasted-names.ts'
import { newKey } from '../../ui/use-submit.ts'
import { changeMembers, type Kind, type MemberRow } from './member-run.ts'

export type Progress = { done: number; total: number | undefined }
/** The users to change, and rows for unknown names. */
export type Subjects = { people: Person[]; unknown: MemberRow[] }

export type Step =
  | { name: 'choose' }
  | { name: 'check'; progress: Progress }
  | { name: 'planned'; rows: MemberRow[]; subjects: Subjects }
  | { name: 'run'; progress: Progress }
  | { name: 'over'; rows: MemberRow[]; how: 'done' | 'stopped' | 'cut'; subjects: Subjects; problem?: unknown }
  | { name: 'failed'; problem: unknown }

type Gather = (signal: AbortSignal, onProgress: (progress: Progress) => void) => Promise<Subjects>
/** The end of the memberships to add, if they end. */
export type End = { expires_at?: string }
type Options = {
  groupId: string
  kind: Kind
  end: End
  first: Step
  onBusy: (isBusy: boolean) => void
  onDone: () => void
}

/** Previews a change of members, then makes it. Both are aborted when the dialog closes. */
export function useMemberChange({ groupId, kind, end, first, onBusy, onDone }: Options) {
  const queries = useQueryClient()
  const [step, setStep] = useState(first)
  const abort = useRef<AbortController | undefined>(undefined)
  /** The Idempotency-Key of the planned change: a retry after a lost connection has no second effect. */
  const key = useRef(newKey())
  useEffect(() => () => abort.current?.abort(), [])

  function renewed(): AbortSignal {
    abort.current?.abort()
    abort.current = new AbortController()
    return abort.current.signal
  }

  const bodyOf = (ids: string[]) => ({ [kind]: ids, ...end })

  async function plan(gather: Gather): Promise<void> {
    const signal = renewed()
    key.current = newKey()
    const say = (progress: Progress) => setStep({ name: 'check', progress })
    say({ done: 0, total: undefined })
    try {
      const subjects = await gather(signal, say)
      const total = subjects.people.length
      const rows: MemberRow[] = []
      const parts = changeMembers(subjects.people, (ids) =>
        api.groups.changeMembers(groupId, bodyOf(ids), { dryRun: true, signal }),
      )
      for await (const part of parts) {
        rows.push(...part)
        say({ done: rows.length, total })
      }
      setStep({ name: 'planned', rows: [...subjects.unknown, ...rows], subjects })
    } catch (problem) {
      if (!signal.aborted) setStep({ name: 'failed', problem })
    }
  }

  async function carryOut(subjects: Subjects): Promise<void> {
    const signal = renewed()
    const rows: MemberRow[] = [...subjects.unknown]
    const total = subjects.people.length
    setStep({ name: 'run', progress: { done: 0, total } })
    onBusy(true)
    try {
      const parts = changeMembers(subjects.people, (ids, part) =>
        api.groups.changeMembers(groupId, bodyOf(ids), { signal, idempotencyKey: `${key.current}-${part}` }),
      )
      for await (const part of parts) {
        rows.push(...part)
        setStep({ name: 'run', progress: { done: rows.length - subjects.unknown.length, total } })
      }
      setStep({ name: 'over', rows, how: 'done', subjects })
    } catch (problem) {
      setStep({ name: 'over', rows, how: signal.aborted ? 'stopped' : 'cut', subjects, problem })
    } finally {
      onBusy(false)
      onDone()
      for (const queryKey of changedByGroups) void queries.invalidateQueries({ queryKey })
    }
  }

  return { step, plan, carryOut, stop: () => abort.current?.abort(), back: () => setStep(first) }
}
