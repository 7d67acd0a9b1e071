import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Stack } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import type { ApiCall } from '../../api/call.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Conflict } from './conflict.tsx'
import styles from './user.module.css'

type Props<Values> = {
  details: {
    isDirty: boolean
    isPending: boolean
    problem: unknown
    conflict: { before: Values; theirs: Values; mine: Values } | undefined
    discard: () => void
    saveMerged: (merged: Values) => void
    backToForm: () => void
  }
  labels: Record<keyof Values & string, string>
  /** The values that the viewer cannot change here, each a `Fact`. */
  readOnly?: readonly ReactNode[]
  calls: readonly ApiCall[]
  onSubmit: (event: FormEvent<HTMLFormElement>) => void
  /** The fields. Left out if there are none. */
  children?: ReactNode
}

/** The form of `useDetailsForm`, or both versions after a conflict. What cannot be changed is text above the fields. */
export function DetailsForm<Values extends object>({
  details: { isDirty, isPending, problem, conflict, discard, saveMerged, backToForm },
  labels,
  readOnly = [],
  calls,
  onSubmit,
  children,
}: Props<Values>) {
  const { t } = useLingui()
  if (conflict !== undefined)
    return <Conflict {...conflict} labels={labels} isPending={isPending} onSave={saveMerged} onBack={backToForm} />
  const facts = readOnly.length > 0 && <Facts>{readOnly}</Facts>
  if (children === undefined) return facts
  return (
    <form noValidate onSubmit={onSubmit}>
      <Stack gap="lg">
        {facts}
        <div className={styles.fields}>{children}</div>
        {problem !== null && <Problem error={problem} title={t`Nothing was saved.`} />}
        <Group gap={8}>
          <Button type="submit" loading={isPending} disabled={!isDirty}>
            <Trans>Save changes</Trans>
          </Button>
          {isDirty && (
            <Button variant="default" onClick={discard}>
              <Trans>Discard changes</Trans>
            </Button>
          )}
          <span className={styles.gap} />
          <ApiCallButton calls={calls} />
        </Group>
      </Stack>
    </form>
  )
}
