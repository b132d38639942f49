/** Operations become final without an event in the same statement. */
export const WITHOUT_EVENTS: [string, string] = [
  `    insert into event_outbox (community_id, type, data)
    select f.community_id, \${EVENT_TYPE}, \${EVENT_DATA} from finished f
    where f.operation_type <> 'moveBadges'
      and (f.operation_type not in ('renew', 'export', 'import') or f.status = 'error')
    order by f.sequence\``,
  '    select from finished`',
];
