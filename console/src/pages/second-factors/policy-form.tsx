/** Tests a policy before an operator sets it. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Checkbox, Stack, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { CopyLine } from '../../ui/copy.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
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
  const isOfThis = result !== undefined && JSON.stringify(values) === JSON.stringify(policy)
  const toggle = (role: string, isOn: boolean) =>
    setChoice({ ...choice, roles: isOn ? [...choice.roles, role] : choice.roles.filter((one) => one !== role) })
  return (
    <Section
      title={t`Test a policy`}
      description={t`A test changes nothing. The policy is a setting of the service, so a stolen session cannot switch it off.`}
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
          <p className={styles.note}>
            <Trans>To put it in force, set this in the environment of every node and restart it:</Trans>
          </p>
          <CopyLine text={settingOf(policy, from)} label={t`the setting`} />
        </>
      )}
    </Section>
  )
}
