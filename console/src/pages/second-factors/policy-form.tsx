/** Tests a policy before it is put in force. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Checkbox, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useCan } from '../../api/me.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { policiesQuery } from '../../data/second-factor-policy.ts'
import { useFileLock } from '../../parts/managed/managed-by-file.tsx'
import { CopyLine } from '../../ui/copy.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { Meaning } from './meaning.tsx'
import { choiceOf, type Policy, policyOf, settingOf } from './policy-setting.ts'
import styles from './second-factors.module.css'

export function PolicyForm({ inForce, roles }: { inForce: Policy; roles: readonly string[] }) {
  const { t } = useLingui()
  const [choice, setChoice] = useState(() => choiceOf(inForce, roles))
  const [from, setFrom] = useState('')
  const { submit, isPending, error, result, values } = useSubmit((policy: Policy) => api.factors.testPolicy(policy))
  const policy = policyOf(choice, roles)
  const [mayRead, mayWrite] = [useCan('policies:read'), useCan('policies:write')]
  const { data: policies } = useQuery({ ...policiesQuery, enabled: mayRead })
  const manager = policies?.managed_by.second_factor
  const canSave = mayWrite && policies !== undefined && manager !== 'settings'
  const isOfThis = result !== undefined && JSON.stringify(values) === JSON.stringify(policy)
  const toggle = (role: string, isOn: boolean) =>
    setChoice({ ...choice, roles: isOn ? [...choice.roles, role] : choice.roles.filter((one) => one !== role) })
  return (
    <Section
      title={t`Test a policy`}
      description={t`A test changes nothing.`}
      actions={<ApiCallButton size="xs" calls={[{ operation: 'POST /second-factor-policy/test', body: { policy } }]} />}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit(policy)
        }}
      >
        <Stack gap="md">
          <fieldset className={styles.choices}>
            <legend>
              <Trans>Required for users with these roles</Trans>
            </legend>
            {roles.map((role) => (
              <Checkbox
                key={role}
                label={<bdi>{role}</bdi>}
                checked={choice.roles.includes(role)}
                onChange={(event) => toggle(role, event.currentTarget.checked)}
              />
            ))}
            <Checkbox
              label={t`all other roles`}
              description={t`Also those that are added later.`}
              checked={choice.others}
              onChange={(event) => setChoice({ ...choice, others: event.currentTarget.checked })}
            />
          </fieldset>
          <Textarea
            className={styles.narrow ?? ''}
            label={t`Groups`}
            description={t`One name per line.`}
            autosize={false}
            rows={2}
            value={choice.groups}
            onChange={(event) => setChoice({ ...choice, groups: event.currentTarget.value })}
          />
          <TextInput
            className={styles.narrow ?? ''}
            type="date"
            label={t`Required from`}
            description={t`Until this day users can sign in without one. Leave it empty to require it at once.`}
            value={from}
            onChange={(event) => setFrom(event.currentTarget.value)}
          />
          <div>
            <Button type="submit" variant="default" loading={isPending}>
              <Trans>Test policy</Trans>
            </Button>
          </div>
        </Stack>
      </form>
      {error && <Problem error={error} title={t`The policy could not be tested.`} />}
      {isOfThis && (
        <>
          <Meaning test={result} />
          {canSave && from === '' ? (
            <PutInForce policy={policy} managed_by={manager} />
          ) : (
            <>
              <p className={styles.note}>
                <Trans>To put it in force, set this in the environment of every node and restart it:</Trans>
              </p>
              <CopyLine text={settingOf(policy, from)} label={t`the setting`} />
            </>
          )}
        </>
      )}
    </Section>
  )
}

function PutInForce({ policy, managed_by }: { policy: Policy; managed_by: string | null | undefined }) {
  const { t } = useLingui()
  const lock = useFileLock({ managed_by })
  const { submit, isPending, error } = useSubmit(
    (second_factor: Policy) => api.policies.update({ second_factor }, lock.how),
    {
      stale: [policiesQuery.queryKey, ['second-factor-policy']],
      onSuccess() {
        showToast({ message: t`The policy is in force.` })
      },
    },
  )
  return (
    <Stack gap="sm">
      {lock.notice}
      <Group gap={8}>
        <Button loading={isPending} disabled={lock.isLocked} onClick={() => submit(policy)}>
          <Trans>Put the policy in force</Trans>
        </Button>
        <ApiCallButton
          size="xs"
          calls={[{ operation: 'PATCH /policies', query: lock.how, body: { second_factor: policy } }]}
        />
      </Group>
      {error && <Problem error={error} title={t`The policy was not changed.`} />}
    </Stack>
  )
}
