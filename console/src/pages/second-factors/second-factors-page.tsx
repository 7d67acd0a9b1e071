import { Trans, useLingui } from '@lingui/react/macro'
import { Skeleton } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { SecondFactorPolicyTest, UserWithoutFactor } from 'rollbook/client'
import { useCan } from '../../api/me.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { rolesQuery } from '../../data/roles.ts'
import { missingOfAPage, missingQuery, policiesQuery, policyQuery } from '../../data/second-factor-policy.ts'
import { Page } from '../../layout/page.tsx'
import { FileBadge } from '../../parts/managed/managed-by-file.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Problem } from '../../ui/problem.tsx'
import { type Column, plainLook, RecordTable } from '../../ui/record-table.tsx'
import { Records, WaitingTable } from '../../ui/records.tsx'
import { Section } from '../../ui/section.tsx'
import { Instant } from '../../ui/time.tsx'
import { Role } from '../../ui/user-state.tsx'
import { Meaning } from './meaning.tsx'
import { PolicyForm } from './policy-form.tsx'
import styles from './second-factors.module.css'

export default function SecondFactorsPage() {
  const { t } = useLingui()
  const { data, error, refetch } = useQuery(policyQuery)
  const roles = useQuery(rolesQuery)
  return (
    <Page title={t`Second factors`} description={t`Policy, users without a factor, and a test of another policy.`}>
      {data !== undefined ? (
        <InForce test={data} />
      ) : error !== null ? (
        <Problem error={error} retry={() => void refetch()} title={t`Could not load the policy.`} />
      ) : (
        <Skeleton height={220} aria-busy="true" />
      )}
      {data !== undefined && roles.data !== undefined && (
        <PolicyForm inForce={data.policy} roles={roles.data.map(({ role }) => role)} />
      )}
      {roles.error !== null && (
        <Problem error={roles.error} retry={() => void roles.refetch()} title={t`Could not load the roles.`} />
      )}
      <Missing />
    </Page>
  )
}

function InForce({ test }: { test: SecondFactorPolicyTest }) {
  const { t } = useLingui()
  const { policy, from } = test
  const mayRead = useCan('policies:read')
  const { data: policies } = useQuery({ ...policiesQuery, enabled: mayRead })
  const manager = policies?.managed_by.second_factor
  const isLater = from !== null && Date.parse(from) > Date.now()
  const entries = typeof policy === 'string' ? [] : Object.entries(policy)
  const required = entries.filter(([, duty]) => duty === 'required').map(([name]) => name)
  const optional = entries.filter(([, duty]) => duty === 'optional').map(([name]) => name)
  return (
    <Section
      title={t`Policy in force`}
      actions={<ApiCallButton size="xs" calls={[{ operation: 'POST /second-factor-policy/test', body: {} }]} />}
    >
      <p className={styles.rule}>
        {policy === 'optional' ? (
          <Trans>Optional: no user needs a second factor.</Trans>
        ) : policy === 'required' ? (
          <Trans>Required for all users.</Trans>
        ) : (
          <>
            <Trans>Required:</Trans> <Names names={required} />
            {optional.length > 0 && (
              <>
                <Trans>Optional:</Trans> <Names names={optional} />
              </>
            )}
          </>
        )}
        {manager === 'settings' && <Badge>{t`Settings`}</Badge>}
        <FileBadge of={{ managed_by: manager }} />
      </p>
      {from !== null && policy !== 'optional' && (
        <p className={styles.note}>
          {isLater ? (
            <Trans>
              From <Instant value={from} style="date" /> on. Until then users can sign in without one, and are reminded.
            </Trans>
          ) : (
            <Trans>
              In force since <Instant value={from} style="date" />.
            </Trans>
          )}
        </p>
      )}
      <Meaning test={test} />
    </Section>
  )
}

function Names({ names }: { names: readonly string[] }) {
  const { t } = useLingui()
  return names.map((name) => (
    <Badge key={name}>
      <bdi>{name === '*' ? t`all other roles` : name.startsWith('group:') ? t`group ${name.slice(6)}` : name}</bdi>
    </Badge>
  ))
}

function Missing() {
  const { t } = useLingui()
  const query = useInfiniteQuery(missingQuery)
  const users = query.data?.pages.flatMap((page) => page.users)
  const columns: Column<UserWithoutFactor>[] = [
    {
      label: t`User`,
      kind: 'name',
      cell: ({ user_id, username }) => (
        <Link to="/users/$userId" params={{ userId: user_id }} search={{ tab: 'security' }}>
          <bdi>{username}</bdi>
        </Link>
      ),
    },
    { label: t`Role`, cell: ({ role }) => <Role role={role} /> },
    {
      label: t`Note`,
      cell: ({ administrator, has_password }) => (
        <span className={styles.rule}>
          {administrator && (
            <Badge kind="warn">
              <Trans>Administrator</Trans>
            </Badge>
          )}
          {!has_password && (
            <Badge kind="fault">
              <Trans>No password</Trans>
            </Badge>
          )}
          {!administrator && has_password && '–'}
        </span>
      ),
    },
    { label: t`Last sign-in`, cell: ({ last_login_at }) => <Instant value={last_login_at} never={t`never`} /> },
  ]
  return (
    <Section
      title={t`Users without a required factor`}
      description={t`The policy in force requires one for them.`}
      actions={
        <ApiCallButton
          size="xs"
          calls={[{ operation: 'GET /second-factor-policy/users', query: { limit: missingOfAPage } }]}
        />
      }
    >
      <Records
        source={query}
        rows={users}
        problem={t`Could not load the users.`}
        waiting={<WaitingTable rows={3} widths={['30%', '15%', '20%']} />}
        empty={<p className={styles.note}>{query.hasNextPage ? <Trans>None so far.</Trans> : <Trans>None.</Trans>}</p>}
        more={{ label: t`Show more` }}
      >
        {(rows) => (
          <RecordTable
            rows={rows}
            keyOf={({ user_id }) => user_id}
            columns={columns}
            caption={t`Users without a required factor`}
            look={plainLook}
          />
        )}
      </Records>
    </Section>
  )
}
