import { Trans, useLingui } from '@lingui/react/macro'
import { Checkbox, Radio, Stack, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useIsNamed } from '../../data/organizations.ts'
import { isOffered } from '../../lib/features.ts'
import type { EndpointValues } from './endpoint-changes.ts'
import styles from './endpoint-fields.module.css'
import { allOf, type EventFilter, type EventSubject, eventGroups, toggled } from './event-groups.ts'

type Props = { form: UseFormReturnType<EndpointValues>; faults: Record<string, string> }

export function EndpointFields({ form, faults }: Props) {
  const { t } = useLingui()
  const { isEverything, filters } = form.values
  const subjects: Record<EventSubject, string> = {
    user: t`Users`,
    session: t`Sessions`,
    key: t`API keys`,
    organization: t`Organizations`,
    setup_link: t`Setup links`,
    group: t`Groups`,
    connection: t`Company sign-in`,
    identity: t`Linked accounts`,
    attribute: t`Attributes`,
    factor: t`Second factors`,
    role: t`Roles`,
    access_request: t`Access requests`,
    branding: t`Branding`,
    review: t`Access reviews`,
  }
  const box = (filter: EventFilter, label: React.ReactNode, isImplied = false) => (
    <Checkbox
      key={filter}
      label={label}
      checked={isImplied || filters.includes(filter)}
      disabled={isImplied}
      onChange={({ currentTarget: { checked } }) => {
        form.setFieldValue('filters', toggled(filters, filter, checked))
        form.clearFieldError('filters')
      }}
    />
  )
  const isNamed = useIsNamed()
  return (
    <>
      <TextInput
        label={t`URL`}
        description={t`Public https address.`}
        placeholder="https://"
        inputMode="url"
        dir="ltr"
        required
        maxLength={2048}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        {...form.getInputProps('url')}
        error={faults.url}
      />
      <TextInput
        label={t`Description`}
        description={t`What it is for.`}
        maxLength={256}
        autoComplete="off"
        {...form.getInputProps('description')}
        error={faults.description}
      />
      <Radio.Group
        label={t`Events`}
        value={isEverything ? 'all' : 'some'}
        onChange={(value) => form.setFieldValue('isEverything', value === 'all')}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="all" label={t`All events, including those of later releases`} />
          <Radio value="some" label={t`Selected events`} />
        </Stack>
      </Radio.Group>
      {!isEverything && (
        <div className={styles.groups}>
          {(form.errors.filters ?? faults.event_types) && (
            <p className={styles.fault} role="alert">
              {form.errors.filters ?? faults.event_types}
            </p>
          )}
          {(Object.keys(eventGroups) as EventSubject[])
            .filter((one) => isOffered(one) && isNamed(one))
            .map((subject) => {
              const all = allOf(subject)
              return (
                <fieldset key={subject} className={styles.group}>
                  <legend>{subjects[subject]}</legend>
                  {box(
                    all,
                    <>
                      <Trans>All</Trans> <code dir="ltr">{all}</code>
                    </>,
                  )}
                  {eventGroups[subject].map((type) => box(type, <code dir="ltr">{type}</code>, filters.includes(all)))}
                </fieldset>
              )
            })}
        </div>
      )}
    </>
  )
}
