import { endpointNetworkContract } from '../contract/webhook-endpoint-network.contract.ts';
import { endpointStoreContract } from '../contract/webhook-endpoint-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(endpointStoreContract);
onEachDatabase(endpointNetworkContract);
