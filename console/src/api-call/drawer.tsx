import { useLingui } from '@lingui/react/macro'
import { Drawer } from '@mantine/core'
import { CopyLine } from '../ui/copy.tsx'
import type { ApiCall } from './call.ts'

type Props = { calls: readonly ApiCall[]; isOpen: boolean; onClose: () => void }

export default function ApiCallDrawer({ calls, isOpen, onClose }: Props) {
  const { t } = useLingui()
  return (
    <Drawer opened={isOpen} onClose={onClose} position="right" title={t`The same by API`}>
      {calls.map((call) => (
        <CopyLine key={call.operation} text={call.operation} label="curl" />
      ))}
    </Drawer>
  )
}
