/** The inactivity rule: what it says, whom it disables next, and a form to change it. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, NativeSelect, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { InactivityPreview } from 'rollbook/client'
import { useCan } from '../../api/me.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { nextQuery, policiesQuery, usualDays } from '../../data/inactivity.ts'
import { rolesQuery } from '../../data/roles.ts'
import { Page } from '../../layout/page.tsx'
import { FileBadge } from '../../parts/managed/managed-by-file.tsx'
import { Problem } from '../../ui/problem.tsx'
import { plainLook, RecordTable } from '../../ui/record-table.tsx'
import { Section } from '../../ui/section.tsx'
import { Instant } from '../../ui/time.tsx'
import { Foreseen } from './foreseen.tsx'
import styles from './inactivity.module.css'
import { RuleForm } from './rule-form.tsx'
import type { Rule } from './rule-lines.ts'
import { useLimitText } from './words.ts'

const ConfirmRunDialog = lazy(() => import('./confirm-dialog.tsx'))

export default function InactivityPage() {
  const { t } = useLingui()
  const { data, error, refetch } = useQuery(policiesQuery)
  const roles = useQuery(rolesQuery)
  const mayWrite = useCan('policies:write')
  return (
    <Page
      title={t`Inactivity`}
      description={t`Disable users who no longer use their access, after a notice.`}
      changes={['policies:write']}
      calls={[{ operation: 'GET /policies' }]}
    >
      {data !== undefined ? (
        <Section title={t`Rule in force`} actions={<FileBadge of={{ managed_by: data.managed_by.inactivity }} />}>
          <InForce rule={data.inactivity} />
        </Section>
      ) : error !== null ? (
        <Problem error={error} retry={() => void refetch()} title={t`Could not load the policies.`} />
      ) : (
        <Skeleton height={120} aria-busy="true" />
      )}
      {data !== undefined && data.inactivity !== null && <Next />}
      {data !== undefined && mayWrite && roles.data !== undefined && (
        <RuleForm policies={data} roles={roles.data.map(({ role }) => role)} />
      )}
    </Page>
  )
}

function InForce({ rule }: { rule: Rule | null }) {
  const { t } = useLingui()
  const limitText = useLimitText()
  if (rule === null)
    return (
      <p className={styles.note}>
        <Trans>There is no rule: no user is disabled for inactivity.</Trans>
      </p>
    )
  return (
    <RecordTable
      rows={Object.entries(rule)}
      keyOf={([name]) => name}
      caption={t`Rule in force`}
      look={plainLook}
      columns={[
        { label: t`Limit for`, kind: 'name', cell: ([name]) => <bdi>{limitText(name)}</bdi> },
        { label: t`Disabled after`, cell: ([, { days }]) => <Plural value={days} one="# day" other="# days" /> },
        {
          label: t`Notice before`,
          cell: ([, { notice_days }]) => <Plural value={notice_days} one="# day" other="# days" />,
        },
      ]}
    />
  )
}

const horizons = [usualDays, 90, 365, 3650]

function Next() {
  const { t } = useLingui()
  const [days, setDays] = useState(usualDays)
  const { data, error, refetch } = useQuery(nextQuery(days))
  const labels = [t`30 days`, t`90 days`, t`1 year`, t`10 years`]
  return (
    <Section
      title={t`Who is next`}
      description={t`Without another sign-in, or use of a session or key.`}
      actions={
        <>
          <ApiCallButton size="xs" calls={[{ operation: 'POST /inactivity/preview', body: {} }]} />
          <NativeSelect
            aria-label={t`How far to look`}
            data={horizons.map((value, index) => ({ value: String(value), label: labels[index] ?? '' }))}
            value={String(days)}
            onChange={({ currentTarget: { value } }) => setDays(Number(value))}
          />
        </>
      }
    >
      {error !== null && <Problem error={error} retry={() => void refetch()} title={t`Could not load the users.`} />}
      {data === undefined && error === null && <Skeleton height={120} aria-busy="true" />}
      {data !== undefined && (
        <>
          {data.stopped !== null && data.stopped.confirmed_at === null && <Stopped stopped={data.stopped} />}
          <Foreseen preview={data} caption={t`Who is next`} />
        </>
      )}
    </Section>
  )
}

function Stopped({ stopped: { users, stopped_at } }: { stopped: NonNullable<InactivityPreview['stopped']> }) {
  const mayWrite = useCan('policies:write')
  const [isAsking, setIsAsking] = useState(false)
  return (
    <div className={styles.warning} role="alert">
      <p>
        <Plural
          value={users}
          one="A run has stopped because it would disable # user, more than 5 % of the active ones."
          other="A run has stopped because it would disable # users, more than 5 % of the active ones."
        />{' '}
        (<Instant value={stopped_at} style="full" />)
      </p>
      {mayWrite && (
        <Button size="xs" variant="default" onClick={() => setIsAsking(true)}>
          <Trans>Confirm the run</Trans>
        </Button>
      )}
      <Suspense fallback={null}>
        {isAsking && <ConfirmRunDialog users={users} onClose={() => setIsAsking(false)} />}
      </Suspense>
    </div>
  )
}
