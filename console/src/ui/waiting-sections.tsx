import { Skeleton, Stack } from '@mantine/core'

/** The sections of a page while its record loads. */
export function WaitingSections({ heights = [132, 260] }: { heights?: readonly number[] }) {
  return (
    <Stack aria-busy="true" gap="lg">
      {heights.map((height) => (
        <Skeleton key={height} height={height} />
      ))}
    </Stack>
  )
}
