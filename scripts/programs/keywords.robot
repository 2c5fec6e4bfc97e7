*** Settings ***
Library           IBMMQLibrary
Suite Setup       Connect MQ    QM1    127.0.0.1    ${1414}    DEV.APP.SVRCONN    app    password
Suite Teardown    Disconnect All MQ Connections

*** Test Cases ***
Put And Get
    Put MQ Message    DEV.QUEUE.1    first
    Put MQ Message    DEV.QUEUE.1    second
    ${messages}=    Get MQ Messages    DEV.QUEUE.1    ${2}
    Should Be Equal    ${messages}    ${{['first', 'second']}}

Browse Leaves Them
    Put MQ Message    DEV.QUEUE.1    seen
    ${browsed}=    Browse MQ Messages    DEV.QUEUE.1    ${5}    1s
    Should Be Equal    ${browsed}    ${{['seen']}}
    ${messages}=    Get MQ Messages    DEV.QUEUE.1
    Should Be Equal    ${messages}    ${{['seen']}}

Clear
    Put MQ Message    DEV.QUEUE.1    gone
    Clear MQ Queue    DEV.QUEUE.1
    ${browsed}=    Browse MQ Messages    DEV.QUEUE.1    ${1}    0s
    Should Be Empty    ${browsed}

A Channel That Is Not There
    Run Keyword And Expect Error    *2540*    Connect MQ    QM1    127.0.0.1    ${1414}    NO.SUCH.CHANNEL    alias=other
