import { useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { BulkChange } from 'rollbook/client'
import { confirming } from '../../api/confirm.ts'
import { formatNumber } from '../../ui/number.ts'
import { showToast } from '../../ui/toasts.tsx'
import { newKey } from '../../ui/use-submit.ts'
import { changeMany } from './bulk-requests.ts'
import { type BulkResult, type BulkState, changedKeys, followBulk, untouched } from './bulk-run.ts'

export type OverStep = { name: 'over'; result: BulkResult; how: 'done' | 'stopped' | 'cut'; problem?: unknown }
export type Step =
  | { name: 'role' }
  | { name: 'group' }
  | { name: 'attribute' }
  | { name: 'language' }
  | { name: 'end_date' }
  | { name: 'organization' }
  | { name: 'plan'; state: BulkState }
  /** `override`: also of users whom an identity provider manages. */
  | { name: 'planned'; plan: BulkResult; override: boolean }
  | { name: 'run'; state: BulkState }
  | OverStep
  | { name: 'failed'; problem: unknown }

type Options = {
  /** How many users are selected, as far as is known. */
  total: number | undefined
  onBusy: (isBusy: boolean) => void
  /** Some users were changed. */
  onDone: () => void
}

/** Previews a change of many users, then makes it. Both are aborted when the dialog closes. */
export function useBulkChange(first: Step, { total, onBusy, onDone }: Options) {
  const { t, i18n } = useLingui()
  const queries = useQueryClient()
  const [step, setStep] = useState(first)
  const abort = useRef<AbortController | undefined>(undefined)
  /** The key of the planned change: repeating it after a cut has no second effect. */
  const key = useRef(newKey())
  const isClosed = useRef(false)
  useEffect(() => {
    isClosed.current = false
    return () => {
      isClosed.current = true
      abort.current?.abort()
    }
  }, [])

  function renewed(): AbortSignal {
    abort.current?.abort()
    abort.current = new AbortController()
    return abort.current.signal
  }

  async function plan(change: BulkChange, { override = false } = {}): Promise<void> {
    const signal = renewed()
    key.current = newKey()
    setStep({ name: 'plan', state: { ...untouched, total } })
    try {
      const lines = changeMany(change, { dryRun: true, rows: 'refused', signal, override })
      const planned = await followBulk(lines, {
        onState: (state) => setStep({ name: 'plan', state }),
        onCut: () => undefined,
      })
      setStep({ name: 'planned', plan: planned, override })
    } catch (problem) {
      if (!signal.aborted) setStep({ name: 'failed', problem })
    }
  }

  async function carryOut(change: BulkChange, { override = false } = {}): Promise<void> {
    const signal = renewed()
    let soFar: BulkResult | undefined
    setStep({ name: 'run', state: { ...untouched, total: step.name === 'planned' ? step.plan.total : total } })
    onBusy(true)
    try {
      const options = { rows: 'all', signal, override, idempotencyKey: key.current } as const
      const result = await confirming(() =>
        followBulk(changeMany(change, options), {
          onState: (state) => setStep({ name: 'run', state }),
          onCut: (cut) => {
            soFar = cut
          },
        }),
      )
      setStep({ name: 'over', result, how: 'done' })
      soFar = result
    } catch (problem) {
      // A stopped change is not continued under its key.
      if (signal.aborted) key.current = newKey()
      if (signal.aborted && soFar !== undefined) setStep({ name: 'over', result: soFar, how: 'stopped' })
      else if (soFar?.total !== undefined) setStep({ name: 'over', result: soFar, how: 'cut', problem })
      else setStep({ name: 'failed', problem })
    } finally {
      onBusy(false)
      report(soFar, { isStopped: isClosed.current && signal.aborted })
    }
  }

  function report(result: BulkResult | undefined, { isStopped }: { isStopped: boolean }): void {
    if (result === undefined) return
    if (isStopped) {
      const done = formatNumber(result.done, i18n.locale)
      showToast({ message: t`Stopped after ${done} users. Changes already made are kept.` })
    }
    if (result.changed > 0) {
      onDone()
      for (const queryKey of changedKeys) void queries.invalidateQueries({ queryKey })
    }
  }
  return { step, plan, carryOut, back: () => setStep(first), stop: () => abort.current?.abort() }
}
